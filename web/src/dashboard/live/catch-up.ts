import { api } from '../api.ts'
import { activeLists, idsOf, insertSubmissions, lacksAll, resetLists, takeOut } from '../inbox/lists.ts'
import { pause } from './lead.ts'
import type { Ref } from './read-changed.ts'

/** More than changes between a list and the stream. */
const CATCH_UP = 20
const FIRST_WAIT_MS = 1_000
const MAX_TRIES = 4

/**
 * Reads the newest of what is on the screen, for what changed between the list and the stream. Each try waits for its turn among the
 * changes. What cannot be read after some time is begun anew, which says in the list what is wrong.
 */
export function catchUp(ref: Ref, signal: AbortSignal, inOrder: (step: () => Promise<void>) => void): void {
  const next = (tries: number) =>
    inOrder(async () => {
      try {
        await readNewest(ref)
      } catch {
        if (tries === MAX_TRIES) resetLists(ref.project_id)
        else void pause(FIRST_WAIT_MS * 2 ** tries, signal).then(() => next(tries + 1))
      }
    })
  next(1)
}

async function readNewest(ref: Ref): Promise<void> {
  for (const input of activeLists(ref.project_id)) {
    const loaded = idsOf(ref.project_id, input)
    const { results, next_cursor } = await api.submissions.list({ ...ref, ...input, limit: CATCH_UP })
    if (results.length === CATCH_UP && lacksAll(ref.project_id, results)) return resetLists(ref.project_id)
    const there = new Set(results.map(({ id }) => id))
    // Ids begin with the time, and lists are newest first: what is older was not asked for.
    const oldest = next_cursor === null ? '' : (results.at(-1)?.id ?? '')
    takeOut(ref.project_id, input, new Set([...loaded].filter((id) => id > oldest && !there.has(id))))
    insertSubmissions(ref.project_id, results)
  }
}
