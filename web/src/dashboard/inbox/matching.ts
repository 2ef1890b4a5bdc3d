import type { Submission } from '../api.ts'

/** What narrows a list of submissions, as the operation takes it. */
export interface Narrowing {
  state?: Submission['state'] | undefined
  kind?: Submission['kind'] | undefined
  channel?: Submission['channel'] | undefined
  tag?: string | undefined
  min_rating?: number | undefined
  search?: string | undefined
}

/** Whether a list can show what changed, by what a change tells. */
export function canMatch({ state, kind }: Narrowing, change: { state: string; kind: string }): boolean {
  return (state === undefined || state === change.state) && (kind === undefined || kind === change.kind)
}

/** Whether a list shows the submission. For a search, the service has the last word: it knows more of letters. */
export function matches(narrowing: Narrowing, submission: Submission): boolean {
  const { channel, tag, min_rating, search } = narrowing
  return (
    canMatch(narrowing, submission) &&
    (channel === undefined || channel === submission.channel) &&
    (tag === undefined || submission.tags.includes(tag)) &&
    (min_rating === undefined || (submission.rating ?? 0) >= min_rating) &&
    (search === undefined || hasWords(submission, search))
  )
}

/** Whether each word occurs in what searches look at. */
function hasWords({ title, body, author: { name, company, email } }: Submission, search: string): boolean {
  const text = folded([title, body, name, company, email].filter(Boolean).join(' '))
  return folded(search)
    .split(/\s+/u)
    .every((word) => text.includes(word))
}

/** Without case and accents. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
