import { disableFailingEndpoints } from '@earshot/db/maintenance'
import { task } from './task.ts'

export const disabling = task('disabling', async (_payload, { database, log }) => {
  for (const endpoint_id of await disableFailingEndpoints(database)) {
    log.warn({ endpoint_id }, 'Disabled a webhook endpoint: no delivery succeeded for five days')
  }
})
