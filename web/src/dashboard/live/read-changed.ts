import { api } from '../api.ts'
import { isOwnDecision } from '../inbox/decisions.ts'
import { showsChange } from '../inbox/lists.ts'
import { showsChangedWords } from '../testimonials/live-words.ts'
import type { Batch, Change } from './follow.ts'

/** More changes at once are read as a page of each list. */
const MAX_SINGLE_READS = 20
/** So many arrivals at once are read by one request. */
const MIN_ARRIVALS = 3
const PAGE = 100

export interface Ref {
  team_id: string
  project_id: string
}

type Read = NonNullable<Batch['submissions']>

/** Reads what changed and may be on a screen; null when it is too much to read one by one. */
export async function readChanged(ref: Ref, changes: readonly Change[]): Promise<Read | null> {
  const latest = [...new Map(changes.map((change) => [change.submission_id, change])).values()]
  const there = latest.filter(({ submission_id, state }) => state !== 'deleted' && !isOwnDecision(submission_id, state))
  const wanted = there.filter((change) => isWanted(ref.project_id, change))
  const arrivals = wanted.length < MIN_ARRIVALS ? [] : await readArrivals(ref, wanted)
  const found = new Set(arrivals.map(({ id }) => id))
  const left = wanted.filter(({ submission_id }) => !found.has(submission_id))
  if (left.length > MAX_SINGLE_READS) return null
  const read = await Promise.allSettled(left.map((change) => readOne(ref, change)))
  return [...arrivals, ...read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))]
}

/** What arrives is read for all tabs, because most of them show the queue. */
function isWanted(project_id: string, change: Change): boolean {
  return change.state === 'pending' || showsChange(project_id, change) || showsChangedWords(project_id, change)
}

function readOne(ref: Ref, { kind, submission_id }: Change): Promise<Read[number]> {
  if (kind === 'testimonial') return api.testimonials.retrieve({ ...ref, testimonial_id: submission_id })
  return api.submissions.retrieve({ ...ref, submission_id })
}

/** A page holds most of what has just arrived. Testimonials have more to read. */
async function readArrivals(ref: Ref, wanted: readonly Change[]): Promise<Read> {
  const ids = new Set(
    wanted.filter(({ kind, state }) => kind !== 'testimonial' && state === 'pending').map(({ submission_id }) => submission_id),
  )
  if (ids.size < MIN_ARRIVALS) return []
  const { results } = await api.submissions.list({ ...ref, state: 'pending', limit: PAGE })
  return results.filter(({ id }) => ids.has(id))
}
