import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import type { Submission } from '../api.ts'
import { useDraft } from '../ui/draft.ts'
import { Icon } from '../ui/icon.tsx'
import { tagMutation } from './tag-change.ts'
import { TagNames } from './tag-names.tsx'

/** Where the key `t` puts the focus. */
export const TAG_FIELD = 'tag-field'

/** The tags of a submission. A change shows at once, and is undone when the service refuses it. */
export function TagEditor({ item, canWrite }: { item: Submission; canWrite: boolean }) {
  const [{ text }, change] = useDraft(`tag.${item.id}`, { text: '' })
  const { mutate: save } = useMutation(tagMutation(item))
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
