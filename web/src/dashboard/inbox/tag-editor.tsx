import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { api, queries, type Submission } from '../api.ts'
import { useDraft } from '../ui/draft.ts'
import { Icon } from '../ui/icon.tsx'
import { toastFailure } from '../ui/toasts.tsx'
import { patchSubmission } from './lists.ts'
import { showOwnUpdate } from './own-updates.ts'
import { TagNames } from './tag-names.tsx'

/** Where the key `t` puts the focus. */
export const TAG_FIELD = 'tag-field'

/** The tags of a submission. A change shows at once, and is undone when the service refuses it. */
export function TagEditor({ item, canWrite }: { item: Submission; canWrite: boolean }) {
  const [{ text }, change] = useDraft(`tag.${item.id}`, { text: '' })
  const save = useTags(item)
  const add = (event: FormEvent) => {
    event.preventDefault()
    const tag = text.trim()
    change({ text: '' })
    if (tag !== '' && !item.tags.includes(tag)) save({ add_tags: [tag] })
  }
  return (
    <div className="tags">
      <h2 className="sr">Tags</h2>
      {item.tags.map((tag) => (
        <span key={tag} className="tag">
          <bdi>{tag}</bdi>
          {canWrite && (
            <button type="button" aria-label={`Remove the tag ${tag}`} onClick={() => save({ remove_tags: [tag] })}>
              <Icon name="x" />
            </button>
          )}
        </span>
      ))}
      {canWrite && (
        <form onSubmit={add}>
          <TagField text={text} onChange={(typed) => change({ text: typed })} />
        </form>
      )}
    </div>
  )
}

function TagField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const listId = useId()
  const [isUsed, setIsUsed] = useState(false)
  return (
    <>
      <input
        id={TAG_FIELD}
        aria-label="Add a tag"
        placeholder="+ Tag"
        list={listId}
        autoComplete="off"
        maxLength={50}
        value={text}
        onFocus={() => setIsUsed(true)}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      <TagNames id={listId} isUsed={isUsed} />
    </>
  )
}

/** What is added or removed, so that what others do meanwhile stays. */
type TagChange = { add_tags: string[] } | { remove_tags: string[] }

function changedTags(tags: readonly string[], change: TagChange): string[] {
  return 'add_tags' in change ? [...tags, ...change.add_tags] : tags.filter((tag) => !change.remove_tags.includes(tag))
}

function useTags(item: Submission): (change: TagChange) => void {
  const { team_id, project_id, id } = item
  const mutation = useMutation({
    mutationFn: (change: TagChange) => api.submissions.update({ team_id, project_id, submission_id: id, ...change }),
    onMutate: (change) => patchSubmission(project_id, id, (one) => ({ ...one, tags: changedTags(one.tags, change) })),
    onSuccess: (saved) => {
      showOwnUpdate(saved)
      void queries.invalidateQueries({ queryKey: ['tags', project_id] })
    },
    onError: (error) => {
      patchSubmission(project_id, id, (one) => ({ ...one, tags: item.tags }))
      toastFailure(error)
    },
  })
  return mutation.mutate
}
