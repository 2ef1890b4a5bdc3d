import { continueTagChange } from '@earshot/db'
import { task } from './task.ts'

/** Renames or removes a tag, each batch of submissions in its own transaction. */
export const tag = task('tag', async (change, { database }) => {
  let hasMore = true
  while (hasMore) hasMore = await continueTagChange(database, change)
})
