import { continueUndo } from '@earshot/db'
import { task } from '../task.ts'

/** Removes what an undone import created, each batch in its own transaction. */
export const importUndo = task('import_undo', async (ref, { database }) => {
  let hasMore = true
  while (hasMore) hasMore = await continueUndo(database, ref)
})
