import { continueReplay } from '@earshot/db'
import { task } from './task.ts'

/** Creates the deliveries of a replay, each batch in its own transaction. */
export const replay = task('replay', async (ref, { database }) => {
  let hasMore = true
  while (hasMore) hasMore = await continueReplay(database, ref)
})
