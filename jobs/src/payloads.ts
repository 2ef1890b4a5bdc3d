import { removePastPayloads } from '@earshot/db/maintenance'
import { task } from './task.ts'

export const payloads = task('payloads', async (_payload, { database, log }, { signal }) => {
  log.debug({ events: await removePastPayloads(database, { signal }) }, 'Removed payloads that are past their days')
})
