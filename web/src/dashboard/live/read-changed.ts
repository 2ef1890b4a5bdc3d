import { api, isRefusal, type Submission } from '../api.ts'
import { isOwnDecision } from '../inbox/decisions.ts'
import { showsChange } from '../inbox/lists.ts'
import { forgetOwnUpdate, isOwnUpdate } from '../inbox/own-updates.ts'
import { isOwnDeletion } from '../own-deletions.ts'
import { showsChangedWords } from '../testimonials/live-words.ts'
import { isTestimonial } from '../testimonials/words.ts'
import type { Batch, Change } from './follow.ts'

/** More changes at once are read as a page of each list. */
const MAX_SINGLE_READS = 20
/** So many arrivals at once are read by one request. */
const MIN_ARRIVALS = 2
const PAGE = 100

export interface Ref {
  team_id: string
  project_id: string
}

type Read = NonNullable<Batch['submissions']>

/** Reads what changed and may be on a screen; null when it is too much to read one by one, or could not be read. */
export async function readChanged(ref: Ref, changes: readonly Change[]): Promise<Read | null> {
  const there = withoutOwn(changes).filter(({ submission_id, state }) => state !== 'deleted' && !isOwnDeletion(submission_id))
  const wanted = there.filter((change) => isWanted(ref.project_id, change))
  const arrivals = await readArrivals(ref, wanted)
  const found = new Set(arrivals.map(({ id }) => id))
  const left = wanted.filter(({ submission_id }) => !found.has(submission_id))
  if (left.length > MAX_SINGLE_READS) return null
  const read = await Promise.all(left.map((change) => readOne(ref, change)))
  return [...arrivals, ...read.filter((one) => one !== null)]
}

/** Another tab has read what its own lists show; this one may show others, and has made other changes. */
export async function complete(ref: Ref, { changes, submissions }: Batch): Promise<Batch> {
  if (submissions === null && !changes.some(isOwnUpdate)) return { changes, submissions }
  const read = new Map((submissions ?? []).map((one) => [one.id, one]))
  const missing = changes.filter((change) => {
    const one = read.get(change.submission_id)
    return one === undefined || (needsTestimonial(ref.project_id, change) && !isTestimonial(one))
  })
  const more = await readChanged(ref, missing).catch(() => null)
  for (const one of more ?? []) read.set(one.id, one)
  return { changes, submissions: more && [...read.values()] }
}

/** The last change of each submission, without what this page itself did and shows already. */
function withoutOwn(changes: readonly Change[]): Change[] {
  const latest = [...new Map(changes.map((change) => [change.submission_id, change])).values()]
  return latest.filter((change) => {
    const { submission_id, state } = change
    if (isOwnDecision(submission_id, state)) return false
    const isAlone = changes.filter((other) => other.submission_id === submission_id).length === 1
    const isOwn = isAlone && isOwnUpdate(change)
    forgetOwnUpdate(submission_id)
    return !isOwn
  })
}

/** What arrives is read for all tabs, because most of them show the queue. */
function isWanted(project_id: string, change: Change): boolean {
  return change.state === 'pending' || showsChange(project_id, change) || showsChangedWords(project_id, change)
}

/** A list of testimonials shows more than a list of submissions has. */
function needsTestimonial(project_id: string, change: Change): boolean {
  return change.kind === 'testimonial' && showsChangedWords(project_id, change)
}

/** What is gone meanwhile is null: its deletion is told next. */
async function readOne(ref: Ref, { kind, submission_id }: Change): Promise<Read[number] | null> {
  try {
    if (kind === 'testimonial') return await api.testimonials.retrieve({ ...ref, testimonial_id: submission_id })
    return await api.submissions.retrieve({ ...ref, submission_id })
  } catch (error) {
    if (isRefusal(error, 'not_found')) return null
    throw error
  }
}

/** A page holds most of what has just arrived. */
async function readArrivals(ref: Ref, wanted: readonly Change[]): Promise<Submission[]> {
  const arrived = wanted.filter((change) => change.state === 'pending' && !needsTestimonial(ref.project_id, change))
  const ids = new Set(arrived.map(({ submission_id }) => submission_id))
  if (ids.size < MIN_ARRIVALS) return []
  const { results } = await api.submissions.list({ ...ref, state: 'pending', limit: PAGE })
  return results.filter(({ id }) => ids.has(id))
}
