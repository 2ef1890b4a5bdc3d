import { api, queries, type Submission } from '../api.ts'
import { explain } from '../ui/error-text.ts'
import { showOwnUpdate } from './own-updates.ts'

/** More at once would keep other requests waiting. */
const AT_ONCE = 4

/** A tag that is added to submissions or removed from them. */
export interface BulkChange {
  tag: string
  isAdded: boolean
}

export interface BulkRun extends BulkChange {
  total: number
  done: number
  failed: readonly Submission[]
  /** Why the last one failed. */
  problem: string | null
  isRunning: boolean
}

interface Progress {
  onRun: (run: BulkRun) => void
  onSaved: (submission: Submission) => void
}

/** Returns the submissions that a change would change. */
export function targetsOf({ tag, isAdded }: BulkChange, submissions: readonly Submission[]): Submission[] {
  return submissions.filter(({ tags }) => tags.includes(tag) !== isAdded)
}

/** Changes a tag of several submissions, one request for each. Those that fail are left as they are. */
export async function changeTagOf(
  targets: readonly Submission[],
  { tag, isAdded }: BulkChange,
  { onRun, onSaved }: Progress,
): Promise<void> {
  let run: BulkRun = { tag, isAdded, total: targets.length, done: 0, failed: [], problem: null, isRunning: true }
  const count = (update: Partial<BulkRun>) => {
    run = { ...run, ...update }
    onRun(run)
  }
  count({})
  const waiting = [...targets]
  const sendNext = async (): Promise<void> => {
    const next = waiting.shift()
    if (!next) return
    try {
      const saved = await update(next, { tag, isAdded })
      showOwnUpdate(saved)
      onSaved(saved)
      count({ done: run.done + 1 })
    } catch (error) {
      const { what, help } = explain(error)
      count({ failed: [...run.failed, next], problem: `${what} ${help}`.trim() })
    }
    return sendNext()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendNext))
  count({ isRunning: false })
  const [first] = targets
  if (first) void queries.invalidateQueries({ queryKey: ['tags', first.project_id] })
}

function update({ team_id, project_id, id }: Submission, { tag, isAdded }: BulkChange): Promise<Submission> {
  const change = isAdded ? { add_tags: [tag] } : { remove_tags: [tag] }
  return api.submissions.update({ team_id, project_id, submission_id: id, ...change })
}
