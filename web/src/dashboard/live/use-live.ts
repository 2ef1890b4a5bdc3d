import { useEffect } from 'react'
import { api, type Project, queries } from '../api.ts'
import { concede } from '../inbox/decisions.ts'
import {
  activeLists,
  countArrivals,
  insertSubmissions,
  lacksAll,
  listKey,
  moveSubmissions,
  outdateHiddenLists,
  patchSubmission,
  resetLists,
} from '../inbox/lists.ts'
import { showWords } from '../testimonials/live-words.ts'
import { showVideos } from '../videos/live-videos.ts'
import { countSoon } from './count-soon.ts'
import { type Batch, type Change, follow } from './follow.ts'
import { type Ref, readChanged } from './read-changed.ts'

/** Changes that come together are shown together; in a busy hour, more of them. */
const GATHER_MS = 300
const BUSY_GATHER_MS = 5_000
/** More than arrives between a list and the stream. */
const CATCH_UP = 20
/** A list that was loaded so long ago may have missed what changed before the stream began. */
const FRESH_MS = 5_000

/** Shows what changes in a project while its pages are open: arrivals, decisions of colleagues, figures. */
export function useLive({ team_id, id: project_id }: Project): void {
  useEffect(() => {
    const stop = new AbortController()
    const ref = { team_id, project_id }
    let gathered: Change[] = []
    let lastCursor = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    let shownMs = 0
    resetOldLists(project_id)
    const { tell } = follow(ref, {
      signal: stop.signal,
      // In the tab that has the stream: it reads for all tabs.
      onChange: (change, cursor) => {
        gathered.push(change)
        lastCursor = cursor
        timer ??= setTimeout(() => void readAndShow(), Date.now() - shownMs < BUSY_GATHER_MS ? BUSY_GATHER_MS / 2 : GATHER_MS)
      },
      onBatch: (batch) => void complete(ref, batch).then((whole) => stop.signal.aborted || show(ref, whole)),
      onReady: () => void catchUp(ref).catch(() => {}),
      onExpired: () => {
        resetLists(project_id)
        void queries.invalidateQueries({ queryKey: ['words', project_id] })
      },
    })
    const readAndShow = async () => {
      timer = undefined
      shownMs = Date.now()
      const [changes, cursor] = [gathered.splice(0), lastCursor]
      const batch = { changes, submissions: await readChanged(ref, changes).catch(() => null) }
      if (stop.signal.aborted) return
      show(ref, batch)
      tell(batch, cursor)
    }
    return () => {
      clearTimeout(timer)
      gathered = []
      stop.abort()
    }
  }, [team_id, project_id])
}

/** Another tab has read what its own lists show; this one may show others. */
async function complete(ref: Ref, { changes, submissions }: Batch): Promise<Batch> {
  if (submissions === null) return { changes, submissions }
  const read = new Set(submissions.map(({ id }) => id))
  const missing = changes.filter(({ submission_id }) => !read.has(submission_id))
  const more = await readChanged(ref, missing).catch(() => null)
  return { changes, submissions: more && [...submissions, ...more] }
}

function show(ref: Ref, { changes, submissions }: Batch): void {
  const { project_id } = ref
  const states = new Map(changes.map(({ submission_id, state }) => [submission_id, state]))
  concede(states)
  moveSubmissions(project_id, states)
  countArrivals(project_id, changes.filter(({ type }) => type === 'submission.created').length)
  countSoon(project_id)
  void showVideos(ref, changes).catch(() => {})
  if (submissions === null) {
    resetLists(project_id)
    void queries.invalidateQueries({ queryKey: ['words', project_id] })
    return
  }
  for (const submission of submissions) patchSubmission(project_id, submission.id, () => submission)
  insertSubmissions(project_id, submissions)
  const read = new Set(submissions.map(({ id }) => id))
  outdateHiddenLists(
    project_id,
    changes.filter(({ submission_id }) => !read.has(submission_id)),
  )
  showWords(project_id, changes, submissions)
}

/** Reads the newest of what is on the screen, for what arrived between the list and the stream. */
async function catchUp(ref: Ref): Promise<void> {
  for (const input of activeLists(ref.project_id)) {
    const { results } = await api.submissions.list({ ...ref, ...input, limit: CATCH_UP })
    if (results.length === CATCH_UP && lacksAll(ref.project_id, results)) return resetLists(ref.project_id)
    insertSubmissions(ref.project_id, results)
  }
}

/** What was loaded before this project was followed may have changed since. */
function resetOldLists(project_id: string): void {
  const lists = queries.getQueryCache().findAll({ queryKey: listKey(project_id) })
  if (lists.some(({ state }) => state.dataUpdatedAt > 0 && Date.now() - state.dataUpdatedAt > FRESH_MS)) resetLists(project_id)
}
