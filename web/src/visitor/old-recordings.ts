import { isRecent, keysOf, partlyKept, recordings } from './kept.ts'

const DATABASE = 'earshot'

/** Deletes recordings of any form that are older than a day, and pieces that no note belongs to. */
export async function deleteOldRecordings(): Promise<void> {
  try {
    const old = keysOf(recordings).filter((name) => !isRecent(JSON.parse(localStorage.getItem(name) ?? 'null')))
    for (const name of old) localStorage.removeItem(name)
    const databases = await indexedDB.databases()
    if (!databases.some(({ name }) => name === DATABASE)) return
    const { deletePieces } = await import('./video/kept-recording.ts')
    await deletePieces((key) => !partlyKept(key))
  } catch {
    // Storage can be turned off, and the connection lost: a later page tries again.
  }
}
