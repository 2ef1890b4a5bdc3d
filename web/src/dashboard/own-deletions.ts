import { queries } from './api.ts'

const deleted = new Set<string>()

/**
 * Deletes a record by its id. The page asks for the record no more from the moment it does so: a change that the stream tells
 * meanwhile would be read as 404. If the deletion fails, all that is shown is read again, because such changes were left out.
 */
export async function deleteOwn(id: string, act: () => Promise<unknown>): Promise<void> {
  deleted.add(id)
  try {
    await act()
  } catch (error) {
    deleted.delete(id)
    void queries.invalidateQueries()
    throw error
  }
}

/** Whether this page has deleted the record, or is about to. */
export function isOwnDeletion(id: string): boolean {
  return deleted.has(id)
}
