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
    if (tag !== '' && !item.tags.includes(tag)) save([...item.tags, tag])
  }
  return (
    <div className="tags">
      <h2 className="sr">Tags</h2>
      {item.tags.map((tag) => (
        <span key={tag} className="tag">
          <bdi>{tag}</bdi>
          {canWrite && (
            <button type="button" aria-label={`Remove the tag ${tag}`} onClick={() => save(item.tags.filter((one) => one !== tag))}>
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

function useTags(item: Submission): (tags: string[]) => void {
  const { team_id, project_id, id } = item
  const mutation = useMutation({
    mutationFn: (tags: string[]) => api.submissions.update({ team_id, project_id, submission_id: id, tags }),
    onMutate: (tags) => patchSubmission(project_id, id, (one) => ({ ...one, tags })),
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
