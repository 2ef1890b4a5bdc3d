import { EarshotApiError } from '@earshot/contracts/client'
import { useSyncExternalStore } from 'react'
import { api, leavingApi, type Output, queries, type Submission } from '../api.ts'
import { UnknownPersonError } from '../same-person.ts'
import { isSignedOut, onSignedIn } from '../signed-out.ts'
import { keepChanged } from '../testimonials/live-words.ts'
import { nameInText } from '../ui/names.ts'
import { toast, toastFailure } from '../ui/toasts.tsx'
import { batchesOf, canLeaveWith, withinQuota } from './batches.ts'
import { tellWhoWasFaster } from './colleagues.ts'
import type { Action, After, Held } from './held.ts'
import { countMoves, moveSubmissions } from './lists.ts'

/** How long a decision can be taken back: it is sent after this time, or when the page is left. */
const HOLD_MS = 5_000
/** One request takes all that are due. An hour of steady work stays below the 1,000 requests that a person has. */
const MIN_GAP_MS = 5_000
const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 30_000

type Result = Output<typeof api.submissions.moderate>['results'][number]

const STATE_AFTER = { approve: 'approved', reject: 'rejected' } as const
const SAID = { approve: 'Approved', reject: 'Rejected' } as const

let held: ReadonlyMap<string, Held> = new Map()
/** What this page knows of already when the stream tells it. */
const settled = new Map<string, After>()
/** Takes the message of a press away. */
const messages = new Map<number, () => void>()
let lastPress = 0
let lastSentMs = Number.NEGATIVE_INFINITY
let retryMs = 0
let failure: unknown = null
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** Decides on submissions: on screen at once, at the service after the hold. */
export function decide(submissions: readonly Submission[], action: Action, reason: string | null = null): void {
  const [first] = submissions
  if (!first) return
  lastPress += 1
  const press = lastPress
  const made = { action, reason, press, dueMs: performance.now() + HOLD_MS, isSending: false, isTried: false }
  set(new Map([...held, ...submissions.map((submission) => [submission.id, { ...made, submission }] as const)]))
  schedule()
  const what = submissions.length === 1 ? `${nameInText(first.author.name)}’s words` : `${submissions.length} submissions`
  const text = `${SAID[action]} ${what}`
  const undo = { label: 'Undo', shortcut: 'Z', run: () => takeBack(press) }
  messages.set(press, toast({ look: 'good', text, action: undo }, HOLD_MS))
}

/** Takes decisions back that were not sent yet, without a trace: those of one press, the last one unless given. */
export function takeBack(press?: number): readonly Submission[] {
  const open = [...held.values()].filter(({ isSending, isTried }) => !(isSending || isTried))
  const wanted = press ?? Math.max(0, ...open.map((one) => one.press))
  const back = open.filter((one) => one.press === wanted)
  if (back.length === 0) {
    toast({ look: 'info', text: 'Nothing to undo. Decisions are sent after five seconds; to reverse one, open Approved or Rejected.' })
    return []
  }
  messages.get(wanted)?.()
  release(back)
  toast({ look: 'info', text: back.length === 1 ? 'Undone' : `Undone: ${back.length} decisions` }, 2_000)
  return back.map(({ submission }) => submission)
}

/** Gives up decisions on what somebody else decided in the meantime, and says who did. */
export function concede(states: ReadonlyMap<string, After>): void {
  const lost = [...held.values()].filter(
    ({ submission: { id, state }, isSending, isTried }) => !(isSending || isTried) && states.has(id) && states.get(id) !== state,
  )
  if (lost.length === 0) return
  release(lost)
  void tellWhoWasFaster(lost.map(({ submission }) => submission))
}

/** Sends everything now. Resolves to whether the service knows all of it. */
export async function sendAll(): Promise<boolean> {
  await Promise.all(batchesOf([...held.values()].filter(({ isSending }) => !isSending)).map((batch) => send(batch)))
  while ([...held.values()].some(({ isSending }) => isSending)) await new Promise((resolve) => listeners.add(once(resolve)))
  return held.size === 0
}

/** Forgets all decisions: the page belongs to somebody else now. */
export function forgetDecisions(): void {
  clearTimeout(timer)
  set(new Map())
}

/** Whether a change that the stream tells of is one of this page's own decisions. It is told once. */
export function isOwnDecision(id: string, state: After): boolean {
  return settled.get(id) === state && settled.delete(id)
}

/** The decisions on their way, by the id of the submission. */
export function useHeld(): ReadonlyMap<string, Held> {
  return useSyncExternalStore(subscribe, () => held)
}

/** Why decisions could not be sent yet; null while all is well. */
export function useSendFailure(): unknown {
  return useSyncExternalStore(subscribe, () => failure)
}

function schedule(): void {
  clearTimeout(timer)
  const waiting = [...held.values()].filter(({ isSending }) => !isSending)
  // Whoever signs in next may be somebody else: nothing is sent before that is known.
  if (waiting.length === 0 || isSignedOut()) return
  const dueMs = Math.max(Math.min(...waiting.map((one) => one.dueMs)), lastSentMs + Math.max(MIN_GAP_MS, retryMs))
  timer = setTimeout(sendDue, Math.max(0, dueMs - performance.now()))
}

function sendDue(): void {
  const due = [...held.values()].filter(({ isSending, dueMs }) => !isSending && dueMs <= performance.now())
  for (const batch of batchesOf(due)) void send(batch)
  // What the timer was set for may have been taken back.
  schedule()
}

/** Sends decisions on one project, as many as one request takes. */
async function send(batch: readonly Held[], client = api): Promise<void> {
  const [first] = batch
  if (!first || isSignedOut()) return
  mark(batch, { isSending: true })
  lastSentMs = performance.now()
  try {
    const { results } = await client.submissions.moderate(inputOf(first, batch))
    settle(batch, results)
  } catch (error) {
    fail(batch, error)
  }
  schedule()
}

function inputOf({ submission: { team_id, project_id } }: Held, batch: readonly Held[]) {
  const items = batch.map(({ submission: { id, state }, action, reason }) => ({
    submission_id: id,
    action,
    expected_state: state,
    reason,
  }))
  return { team_id, project_id, items }
}

/** Ends the hold of what was sent. A decision that somebody else had made before is shown, and changes nothing. */
function settle(sent: readonly Held[], results: readonly Result[]): void {
  retryMs = 0
  failure = null
  const byId = new Map(results.map((result) => [result.submission_id, result]))
  const moved = new Map<string, After>()
  for (const { submission } of results) if (submission) keepChanged(submission.project_id, submission)
  for (const { submission, action } of sent) {
    const { outcome, error } = byId.get(submission.id) ?? {}
    const after = outcome === 'failed' ? (error?.current_state ?? 'deleted') : STATE_AFTER[action]
    moved.set(submission.id, after)
    if (outcome === 'changed') settled.set(submission.id, after)
  }
  const [first] = sent
  if (first) {
    moveSubmissions(first.submission.project_id, moved)
    countMoves(first.submission.project_id, sent, moved)
  }
  release(sent)
  void tellWhoWasFaster(sent.filter(({ submission: { id } }) => byId.get(id)?.outcome === 'failed').map(({ submission }) => submission))
}

/** Keeps what may pass, to try again; what is refused for good comes back to the list. */
function fail(sent: readonly Held[], error: unknown): void {
  const isFinal = error instanceof EarshotApiError && error.status < 500 && ![401, 408, 429].includes(error.status)
  if (isFinal) {
    toastFailure(error)
    release(sent)
    return
  }
  failure = error
  retryMs = Math.min(MAX_RETRY_MS, Math.max(FIRST_RETRY_MS, retryMs * 2))
  // After an error of the service itself, nobody knows whether it has decided.
  const isUntouched = error instanceof UnknownPersonError || (error instanceof EarshotApiError && error.status < 500)
  mark(sent, isUntouched ? { isSending: false } : { isSending: false, isTried: true })
}

function mark(decisions: readonly Held[], change: Partial<Pick<Held, 'isSending' | 'isTried'>>): void {
  const next = new Map(held)
  for (const { submission } of decisions) {
    const now = next.get(submission.id)
    if (now) next.set(submission.id, { ...now, ...change })
  }
  set(next)
}

function release(decisions: readonly Held[]): void {
  const ids = new Set(decisions.map(({ submission }) => submission.id))
  set(new Map([...held].filter(([id]) => !ids.has(id))))
  for (const { press } of decisions) messages.delete(press)
}

function set(next: ReadonlyMap<string, Held>): void {
  held = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function once(resolve: (value: unknown) => void): () => void {
  const listener = () => {
    listeners.delete(listener)
    resolve(null)
  }
  return listener
}

/** Sends all that is held by requests that outlive the page, also what is on its way: a decision made twice changes nothing. */
function leave(): void {
  if (isSignedOut()) return
  for (const batch of batchesOf(withinQuota([...held.values()]))) {
    const [first] = batch
    if (first) leavingApi.submissions.moderate(inputOf(first, batch)).catch(() => {})
  }
}

addEventListener('pagehide', leave)
addEventListener('beforeunload', (event) => {
  // More than can be sent then: the browser asks whether to leave.
  if (!canLeaveWith(held.size)) return event.preventDefault()
  // Firefox loses about one in five of the requests that begin with `pagehide`.
  for (const batch of batchesOf([...held.values()].filter(({ isSending }) => !isSending))) void send(batch, leavingApi)
})
// The browser may show the page again as it was, with decisions that were sent meanwhile.
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  forgetDecisions()
  void queries.invalidateQueries()
})
onSignedIn(schedule)
