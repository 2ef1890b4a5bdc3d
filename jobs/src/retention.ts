import { deletePast } from '@earshot/db/maintenance'
import { task } from './task.ts'

export const retention = task('retention', async (_payload, { database, log }) => {
  log.debug({ deleted: await deletePast(database) }, 'Deleted expired records')
})
