import { purgeDeleted } from '@earshot/db/maintenance'
import { task } from './task.ts'

export const purge = task('purge', async (_payload, { database, blobStore, log }) => {
  log.debug({ removed: await purgeDeleted(database) }, 'Purged deleted records')
  await blobStore.removeLeftovers()
})
