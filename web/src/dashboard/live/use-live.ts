import { useEffect } from 'react'
import type { Project } from '../api.ts'
import { api, queries, type Submission } from '../api.ts'
import { concede, isOwnDecision } from '../inbox/decisions.ts'
import { insertSubmissions, knowsSubmission, moveSubmissions, patchSubmission } from '../inbox/lists.ts'
import { type Change, follow } from './follow.ts'

/** Changes that come together are shown together. */
const GATHER_MS = 300
/** More are read as a page of the list. */
const MAX_SINGLE_READS = 5
const PAGE = 100
const COUNT_MS = 2_000

/** Shows what changes in a project while its pages are open: arrivals, decisions of colleagues, figures. */
export function useLive({ team_id, id: project_id }: Project): void {
  useEffect(() => {
    const stop = new AbortController()
    const ref = { team_id, project_id }
    let gathered: Change[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = () => {
      timer = undefined
      void showChanges(ref, gathered.splice(0)).catch(() => {})
    }
    const onChange = (change: Change) => {
      gathered.push(change)
      timer ??= setTimeout(show, GATHER_MS)
    }
    follow(ref, { onChange, onMissed: () => void catchUp(ref).catch(() => {}) }, stop.signal)
    return () => {
      clearTimeout(timer)
      gathered = []
      stop.abort()
    }
  }, [team_id, project_id])
}

interface Ref {
  team_id: string
  project_id: string
}

async function showChanges(ref: Ref, changes: readonly Change[]): Promise<void> {
  const { project_id } = ref
  const latest = new Map(changes.map((change) => [change.submission_id, change]))
  const states = new Map([...latest].map(([id, { state }]) => [id, state]))
  concede(states)
  moveSubmissions(project_id, states)
  const foreign = [...latest.values()].filter(({ submission_id, state }) => !isOwnDecision(submission_id, state))
  if (foreign.length > 0) countSoon(project_id)
  const wanted = foreign.filter(({ submission_id, state }) => state === 'pending' || knowsSubmission(project_id, submission_id))
  const there = wanted.filter(({ state }) => state !== 'deleted')
  for (const submission of await readAll(ref, there)) {
    if (knowsSubmission(project_id, submission.id)) patchSubmission(project_id, submission.id, () => submission)
    insertSubmissions(project_id, [submission])
  }
}

/** The projects whose figures are asked for soon. */
const counting = new Set<string>()

/** Asks for the figures once for all changes of some seconds. */
function countSoon(project_id: string): void {
  if (counting.has(project_id)) return
  counting.add(project_id)
  setTimeout(() => {
    counting.delete(project_id)
    void queries.invalidateQueries({ queryKey: ['counts', project_id] })
  }, COUNT_MS)
}

async function readAll(ref: Ref, changes: readonly Change[]): Promise<readonly Submission[]> {
  if (changes.length > MAX_SINGLE_READS) return (await api.submissions.list({ ...ref, limit: PAGE })).results
  const read = await Promise.allSettled(changes.map(({ submission_id }) => api.submissions.retrieve({ ...ref, submission_id })))
  return read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

/** Reads the newest pending ones, for what arrived before the stream began. */
async function catchUp(ref: Ref): Promise<void> {
  void queries.invalidateQueries({ queryKey: ['counts', ref.project_id] })
  const { results } = await api.submissions.list({ ...ref, state: 'pending', limit: PAGE })
  insertSubmissions(ref.project_id, results)
}
