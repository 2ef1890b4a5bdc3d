import { type FormEvent, useId } from 'react'
import type { Submission } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useDraft } from '../ui/draft.ts'
import { Note } from '../ui/error-note.tsx'
import { TextField } from '../ui/field.tsx'
import type { BulkRun } from './bulk-change.ts'
import { TagNames } from './tag-names.tsx'
import { type BulkTags, useBulkTags } from './use-bulk-tags.ts'

/** Adds tags to all submissions that are selected, and removes them. */
export function BulkTagsDialog({ submissions, onClose }: { submissions: readonly Submission[]; onClose: () => void }) {
  const bulk = useBulkTags(submissions)
  const listId = useId()
  const [{ tag: text }, change] = useDraft(`tags.${submissions[0]?.project_id}`, { tag: '' })
  const isRunning = bulk.run?.isRunning === true
  const add = (event: FormEvent) => {
    event.preventDefault()
    const tag = text.trim()
    if (tag === '' || isRunning) return
    bulk.start({ tag, isAdded: true })
    change({ tag: '' })
  }
  return (
    <Dialog title={`Tags of ${submissions.length} submissions`} onClose={onClose} isFixed={isRunning}>
      <form onSubmit={add} className="bulk-add">
        <TextField
          label="Add a tag to all"
          list={listId}
          autoComplete="off"
          dir="auto"
          maxLength={50}
          value={text}
          onChange={({ target }) => change({ tag: target.value })}
        />
        <Button look="primary" type="submit" isBusy={isRunning}>
          Add
        </Button>
        <TagNames id={listId} isUsed />
      </form>
      <div className="stack">
        <TagList bulk={bulk} isRunning={isRunning} />
        <div role="status">{bulk.run && <Result run={bulk.run} onRetry={bulk.retry} />}</div>
      </div>
      <footer>
        <Button isBusy={isRunning} onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  )
}

function TagList({ bulk: { submissions, start }, isRunning }: { bulk: BulkTags; isRunning: boolean }) {
  const all = submissions.length
  const counts = new Map<string, number>()
  for (const tag of submissions.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  if (counts.size === 0) return <p className="soft">None of them has a tag.</p>
  return (
    <ul className="bulk-tags">
      {[...counts].map(([tag, count]) => (
        <li key={tag}>
          <span className="tag">
            <bdi>{tag}</bdi>
          </span>
          <span className="soft">{count === all ? 'all' : `${count} of ${all}`}</span>
          {count < all && (
            <Button look="quiet" isBusy={isRunning} aria-label={`Add to all: ${tag}`} onClick={() => start({ tag, isAdded: true })}>
              Add to all
            </Button>
          )}
          <Button look="quiet" isBusy={isRunning} onClick={() => start({ tag, isAdded: false })}>
            Remove<span className="sr"> the tag {tag}</span>
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** How far the change is, and what became of it. */
function Result({ run: { tag, isAdded, total, done, failed, problem, isRunning }, onRetry }: { run: BulkRun; onRetry: () => void }) {
  const what = isAdded ? 'now have' : 'no longer have'
  if (isRunning)
    return (
      <p className="bulk-progress">
        <progress aria-label="Progress" max={total} value={done + failed.length} /> {done + failed.length} of {total}
      </p>
    )
  if (failed.length === 0)
    return (
      <p className="soft">
        {total === 0 ? 'Nothing to change: all of them' : `${done} of ${total}`} {total === 0 && isAdded ? 'have' : what} the tag{' '}
        <bdi>{tag}</bdi>.
      </p>
    )
  return (
    <Note look="warn">
      <p>
        {done} of {total} {what} the tag <bdi>{tag}</bdi>. {failed.length} could not be changed: {problem}
      </p>
      <Button onClick={onRetry}>Try again</Button>
    </Note>
  )
}
