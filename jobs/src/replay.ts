import { continueReplay } from '@earshot/db'
import { task } from './task.ts'

/** Makes the deliveries of a replay, each batch a transaction of its own. */
export const replay = task('replay', async (ref, { database }) => {
  let hasMore = true
  while (hasMore) hasMore = await continueReplay(database, ref)
})
