import { useEffect } from 'react'
import { api, type Project, queries, type Submission } from '../api.ts'
import { concede, isOwnDecision } from '../inbox/decisions.ts'
import { countArrivals, insertSubmissions, knowsSubmission, listKey, moveSubmissions, patchSubmission, resetLists } from '../inbox/lists.ts'
import { type Batch, type Change, follow } from './follow.ts'

/** Changes that come together are shown together; in a busy hour, more of them. */
const GATHER_MS = 300
const BUSY_GATHER_MS = 5_000
/** More changes at once are read as a page of each list. */
const MAX_SINGLE_READS = 20
const PAGE = 100
const COUNT_MS = 10_000
/** A list that was loaded so long ago may have missed what changed before the stream began. */
const FRESH_MS = 5_000

interface Ref {
  team_id: string
  project_id: string
}

/** Shows what changes in a project while its pages are open: arrivals, decisions of colleagues, figures. */
export function useLive({ team_id, id: project_id }: Project): void {
  useEffect(() => {
    const stop = new AbortController()
    const ref = { team_id, project_id }
    let gathered: Change[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let shownMs = 0
    resetOldLists(project_id)
    const { tell } = follow(ref, {
      signal: stop.signal,
      // In the tab that has the stream: it reads for all tabs.
      onChange: (change) => {
        gathered.push(change)
        timer ??= setTimeout(() => void readAndShow(), Date.now() - shownMs < BUSY_GATHER_MS ? BUSY_GATHER_MS / 2 : GATHER_MS)
      },
      onBatch: (batch) => show(ref, batch),
      onReady: () => void catchUp(ref).catch(() => {}),
      onExpired: () => resetLists(project_id),
    })
    const readAndShow = async () => {
      timer = undefined
      shownMs = Date.now()
      const changes = gathered.splice(0)
      const batch = { changes, submissions: await read(ref, changes).catch(() => null) }
      if (stop.signal.aborted) return
      show(ref, batch)
      tell(batch)
    }
    return () => {
      clearTimeout(timer)
      gathered = []
      stop.abort()
    }
  }, [team_id, project_id])
}

/** Reads what changed and may be on a screen; null when it is too much to read one by one. */
async function read(ref: Ref, changes: readonly Change[]): Promise<readonly Submission[] | null> {
  const latest = [...new Map(changes.map((change) => [change.submission_id, change])).values()]
  const wanted = latest.filter(({ submission_id, state }) => state === 'pending' || knowsSubmission(ref.project_id, submission_id))
  const there = wanted.filter(({ submission_id, state }) => state !== 'deleted' && !isOwnDecision(submission_id, state))
  if (there.length > MAX_SINGLE_READS) return null
  const found = await Promise.allSettled(there.map(({ submission_id }) => api.submissions.retrieve({ ...ref, submission_id })))
  return found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

function show({ project_id }: Ref, { changes, submissions }: Batch): void {
  const states = new Map(changes.map(({ submission_id, state }) => [submission_id, state]))
  concede(states)
  moveSubmissions(project_id, states)
  countArrivals(project_id, changes.filter(({ type }) => type === 'submission.created').length)
  countSoon(project_id)
  if (submissions === null) {
    resetLists(project_id)
    return
  }
  for (const submission of submissions) patchSubmission(project_id, submission.id, () => submission)
  insertSubmissions(project_id, submissions)
}

/** The projects whose figures are asked for soon, and when they were asked for last. */
const counting = new Set<string>()
const countedAtMs = new Map<string, number>()

/** Asks for the figures at once, but only once for all changes of some seconds, and when somebody looks. */
function countSoon(project_id: string): void {
  if (counting.has(project_id)) return
  counting.add(project_id)
  const dueMs = (countedAtMs.get(project_id) ?? 0) + COUNT_MS
  setTimeout(
    () => {
      counting.delete(project_id)
      countedAtMs.set(project_id, Date.now())
      const isSeen = document.visibilityState === 'visible'
      void queries.invalidateQueries({ queryKey: ['counts', project_id], refetchType: isSeen ? 'active' : 'none' })
    },
    Math.max(0, dueMs - Date.now()),
  )
}

/** Reads the newest pending ones, for what arrived between the list and the stream. */
async function catchUp(ref: Ref): Promise<void> {
  const { results } = await api.submissions.list({ ...ref, state: 'pending', limit: PAGE })
  insertSubmissions(ref.project_id, results)
}

/** What was loaded before this project was followed may have changed since. */
function resetOldLists(project_id: string): void {
  const lists = queries.getQueryCache().findAll({ queryKey: listKey(project_id) })
  if (lists.some(({ state }) => state.dataUpdatedAt > 0 && Date.now() - state.dataUpdatedAt > FRESH_MS)) resetLists(project_id)
}
