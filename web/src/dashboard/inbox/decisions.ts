import { EarshotApiError } from '@earshot/contracts/client'
import { useSyncExternalStore } from 'react'
import { api, type Output, queries, type Submission } from '../api.ts'
import { toast, toastFailure } from '../ui/toasts.tsx'
import { tellWhoWasFaster } from './colleagues.ts'
import { moveSubmissions } from './lists.ts'

/** How long a decision can be taken back: it is sent after this time, or when the page is left. */
const HOLD_MS = 5_000
/** One request takes several decisions, at most once a second. */
const MIN_GAP_MS = 1_000
const MAX_ITEMS = 100
const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 30_000

export type Action = 'approve' | 'reject'

/** A decision that the service does not know yet. */
interface Held {
  submission: Submission
  action: Action
  reason: string | null
  /** Decisions made by one press are taken back by one. */
  batch: number
  dueMs: number
  isSending: boolean
}

type Result = Output<typeof api.submissions.moderate>['results'][number]

const STATE_AFTER = { approve: 'approved', reject: 'rejected' } as const
const SAID = { approve: 'Approved', reject: 'Rejected' } as const

let held: ReadonlyMap<string, Held> = new Map()
/** What this page knows of already when the stream tells it. */
const settled = new Map<string, Submission['state'] | 'deleted'>()
let lastBatch = 0
let lastSentMs = 0
let retryMs = 0
let failure: unknown = null
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** Decides on submissions: on screen at once, at the service after the hold. */
export function decide(submissions: readonly Submission[], action: Action, reason: string | null = null): void {
  if (submissions.length === 0) return
  lastBatch += 1
  const dueMs = Date.now() + HOLD_MS
  const added = submissions.map(
    (submission) => [submission.id, { submission, action, reason, batch: lastBatch, dueMs, isSending: false }] as const,
  )
  set(new Map([...held, ...added]))
  schedule()
  const [first] = submissions
  const what = submissions.length === 1 ? `${first?.author.name}’s words` : `${submissions.length} submissions`
  toast({ look: 'good', text: `${SAID[action]} ${what}`, action: { label: 'Undo', shortcut: 'Z', run: takeBack } }, HOLD_MS)
}

/** Takes the last decisions back that were not sent yet, without a trace. Returns the submissions that are back. */
export function takeBack(): readonly Submission[] {
  const open = [...held.values()].filter(({ isSending }) => !isSending)
  const batch = Math.max(0, ...open.map((one) => one.batch))
  const back = open.filter((one) => one.batch === batch).map(({ submission }) => submission)
  if (back.length === 0) {
    toast({ look: 'info', text: 'Nothing to undo: decisions are sent after five seconds. Open the other tabs to reverse one.' })
    return back
  }
  const ids = new Set(back.map(({ id }) => id))
  set(new Map([...held].filter(([id]) => !ids.has(id))))
  toast({ look: 'info', text: back.length === 1 ? 'Undone' : `Undone: ${back.length} decisions` }, 2_000)
  return back
}

/** Gives up decisions on what somebody else decided in the meantime, and says who did. */
export function concede(states: ReadonlyMap<string, Submission['state'] | 'deleted'>): void {
  const lost = [...held.values()].filter(
    ({ submission: { id, state }, isSending }) => !isSending && states.has(id) && states.get(id) !== state,
  )
  if (lost.length === 0) return
  const ids = new Set(lost.map(({ submission }) => submission.id))
  set(new Map([...held].filter(([id]) => !ids.has(id))))
  void tellWhoWasFaster(lost.map(({ submission }) => submission))
}

/** Sends everything now: the page is left, or somebody signs out. */
export async function sendAll(): Promise<void> {
  await send([...held.values()].filter(({ isSending }) => !isSending))
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
  if (waiting.length === 0) return
  const dueMs = Math.max(Math.min(...waiting.map((one) => one.dueMs)), lastSentMs + Math.max(MIN_GAP_MS, retryMs))
  timer = setTimeout(() => void send(waiting.filter((one) => one.dueMs <= Date.now() + MIN_GAP_MS / 2)), Math.max(0, dueMs - Date.now()))
}

async function send(given: readonly Held[]): Promise<void> {
  // What was taken back in the meantime is not among them any more.
  const due = given.filter((one) => held.get(one.submission.id) === one)
  const [first] = due
  if (!first) return schedule()
  const { team_id, project_id } = first.submission
  const sent = due.filter(({ submission }) => submission.project_id === project_id).slice(0, MAX_ITEMS)
  mark(sent, true)
  lastSentMs = Date.now()
  try {
    const items = sent.map(({ submission: { id, state }, action, reason }) => ({
      submission_id: id,
      action,
      expected_state: state,
      reason,
    }))
    const { results } = await api.submissions.moderate({ team_id, project_id, items })
    settle(sent, results)
  } catch (error) {
    fail(sent, error)
  }
  if (sent.length < due.length) await send(due.filter((one) => !sent.includes(one)))
  schedule()
}

/** Ends the hold of what was sent. A decision that somebody else had made before is shown, and changes nothing. */
function settle(sent: readonly Held[], results: readonly Result[]): void {
  retryMs = 0
  failure = null
  const [first] = sent
  const byId = new Map(results.map((result) => [result.submission_id, result]))
  const moved = new Map(
    sent.map(({ submission: { id }, action }) => {
      const { outcome, error } = byId.get(id) ?? {}
      return [id, outcome === 'failed' ? (error?.current_state ?? 'deleted') : STATE_AFTER[action]] as const
    }),
  )
  if (first) {
    moveSubmissions(first.submission.project_id, moved)
    countMoves(first.submission.project_id, sent, moved)
  }
  const ids = new Set(sent.map(({ submission }) => submission.id))
  set(new Map([...held].filter(([id]) => !ids.has(id))))
  void tellWhoWasFaster(sent.filter(({ submission: { id } }) => byId.get(id)?.outcome === 'failed').map(({ submission }) => submission))
}

/** Moves the figures along, instead of asking for them after each decision. */
function countMoves(project_id: string, sent: readonly Held[], moved: ReadonlyMap<string, Submission['state'] | 'deleted'>): void {
  queries.setQueryData<Output<typeof api.submissions.counts>>(['counts', project_id], (counts) => {
    if (!counts) return counts
    const changed = { ...counts }
    for (const { submission } of sent) {
      const after = moved.get(submission.id)
      changed[submission.state] -= 1
      if (after !== undefined && after !== 'deleted') changed[after] += 1
    }
    return changed
  })
  for (const [id, state] of moved) settled.set(id, state)
}

/** Whether a change that the stream tells of is one of this page's own decisions. */
export function isOwnDecision(id: string, state: Submission['state'] | 'deleted'): boolean {
  return settled.get(id) === state
}

/** Keeps what may pass, to try again; what is refused for good comes back to the list. */
function fail(sent: readonly Held[], error: unknown): void {
  const isFinal = error instanceof EarshotApiError && error.status < 500 && ![401, 408, 429].includes(error.status)
  if (isFinal) {
    const ids = new Set(sent.map(({ submission }) => submission.id))
    toastFailure(error)
    set(new Map([...held].filter(([id]) => !ids.has(id))))
    return
  }
  failure = error
  retryMs = Math.min(MAX_RETRY_MS, Math.max(FIRST_RETRY_MS, retryMs * 2))
  mark(sent, false)
}

function mark(decisions: readonly Held[], isSending: boolean): void {
  for (const one of decisions) one.isSending = isSending
  set(new Map(held))
}

function set(next: ReadonlyMap<string, Held>): void {
  held = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// A request of this page outlives it (`keepalive`), so a decision reaches the service when the page is left before its time.
addEventListener('pagehide', () => void sendAll())
