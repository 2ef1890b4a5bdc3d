import { queries } from '../api.ts'
import { concede } from '../inbox/decisions.ts'
import {
  countArrivals,
  insertSubmissions,
  listKey,
  moveSubmissions,
  outdateHiddenLists,
  patchSubmission,
  resetLists,
} from '../inbox/lists.ts'
import { showWords } from '../testimonials/live-words.ts'
import { showVideos } from '../videos/live-videos.ts'
import { catchUp } from './catch-up.ts'
import { countSoon } from './count-soon.ts'
import { type Batch, type Change, follow } from './follow.ts'
import { complete, type Ref, readChanged } from './read-changed.ts'

/** Changes that come together are shown together; in a busy hour, more of them. */
const GATHER_MS = 300
const BUSY_GATHER_MS = 10_000
/** A list that was loaded so long ago may have missed what changed before the stream began. */
const FRESH_MS = 5_000

/** Shows what changes in a project from now on: arrivals, decisions of colleagues, figures. Returns a function that ends it. */
export function showChanges(ref: Ref): () => void {
  const { project_id } = ref
  const stop = new AbortController()
  let gathered: Change[] = []
  let lastCursor = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  let shownMs = Number.NEGATIVE_INFINITY
  // Batches are shown in the order in which they are read: an older one must not undo what a newer one has shown.
  let last: Promise<void> = Promise.resolve()
  const inOrder = (step: () => Promise<void> | void) => {
    last = last.then(() => (stop.signal.aborted ? undefined : step())).catch(reportError)
  }
  resetOldLists(project_id)
  const { tell } = follow(ref, {
    signal: stop.signal,
    // In the tab that has the stream: it reads for all tabs.
    onChange: (change, cursor) => {
      gathered.push(change)
      lastCursor = cursor
      const isBusy = performance.now() - shownMs < BUSY_GATHER_MS
      timer ??= setTimeout(() => inOrder(readAndShow), isBusy ? BUSY_GATHER_MS : GATHER_MS)
    },
    onBatch: (batch) =>
      inOrder(async () => {
        const whole = await complete(ref, batch)
        if (!stop.signal.aborted) show(ref, whole)
      }),
    onReady: () => catchUp(ref, stop.signal, inOrder),
    onExpired: () => inOrder(() => resetAll(project_id)),
  })
  const readAndShow = async () => {
    timer = undefined
    shownMs = performance.now()
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
    resetAll(project_id)
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

function resetAll(project_id: string): void {
  resetLists(project_id)
  void queries.invalidateQueries({ queryKey: ['words', project_id] })
}

/** Loads lists again that may have changed before the project was followed. */
function resetOldLists(project_id: string): void {
  const lists = queries.getQueryCache().findAll({ queryKey: listKey(project_id) })
  if (lists.some(({ state }) => state.dataUpdatedAt > 0 && Date.now() - state.dataUpdatedAt > FRESH_MS)) resetLists(project_id)
}
