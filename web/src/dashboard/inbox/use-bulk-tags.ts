import { useState } from 'react'
import { api, queries, type Submission } from '../api.ts'
import { explain } from '../ui/error-text.ts'
import { showOwnUpdate } from './own-updates.ts'

/** More at once would keep other requests waiting. */
const AT_ONCE = 4

/** A tag that is added to submissions or removed from them. */
interface Change {
  tag: string
  isAdded: boolean
}

export interface BulkRun extends Change {
  total: number
  done: number
  failed: readonly Submission[]
  /** Why the last one failed. */
  problem: string | null
  isRunning: boolean
}

export interface BulkTags {
  /** As the service has them now. */
  submissions: readonly Submission[]
  /** The last change; null before the first. */
  run: BulkRun | null
  start: (change: Change) => void
  /** Tries those again that failed. */
  retry: () => void
}

/** Changes a tag of several submissions, one request for each that it changes. Those that fail are left as they are. */
export function useBulkTags(given: readonly Submission[]): BulkTags {
  const [submissions, setSubmissions] = useState(given)
  const [run, setRun] = useState<BulkRun | null>(null)
  const saved = (one: Submission) => {
    showOwnUpdate(one)
    setSubmissions((all) => all.map((other) => (other.id === one.id ? one : other)))
  }
  const send = async (change: Change, targets: readonly Submission[]) => {
    const count = (update: (before: BulkRun) => Partial<BulkRun>) => setRun((before) => before && { ...before, ...update(before) })
    setRun({ ...change, total: targets.length, done: 0, failed: [], problem: null, isRunning: true })
    const waiting = [...targets]
    const sendNext = async (): Promise<void> => {
      const next = waiting.shift()
      if (!next) return
      try {
        saved(await update(next, change))
        count(({ done }) => ({ done: done + 1 }))
      } catch (error) {
        const { what, help } = explain(error)
        count(({ failed }) => ({ failed: [...failed, next], problem: `${what} ${help}`.trim() }))
      }
      return sendNext()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, sendNext))
    count(() => ({ isRunning: false }))
    const [first] = targets
    if (first) void queries.invalidateQueries({ queryKey: ['tags', first.project_id] })
  }
  return {
    ...{ submissions, run },
    start: (change) =>
      void send(
        change,
        submissions.filter(({ tags }) => tags.includes(change.tag) !== change.isAdded),
      ),
    retry: () => run && void send(run, run.failed),
  }
}

function update({ team_id, project_id, id }: Submission, { tag, isAdded }: Change): Promise<Submission> {
  const change = isAdded ? { add_tags: [tag] } : { remove_tags: [tag] }
  return api.submissions.update({ team_id, project_id, submission_id: id, ...change })
}
