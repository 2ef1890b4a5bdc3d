import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { api, type Item } from '../api.ts'
import { useProjectRef } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useDraft } from '../ui/draft.ts'
import { ErrorNote, Note } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { toast } from '../ui/toasts.tsx'
import { findTag, isTagQuery, refreshTags, submissionsText } from './queries.ts'

type TagCount = Item<typeof api.tags.list>

interface RenameProps {
  tag: string
  /** The tags that are loaded, and whether these are all. */
  pages: readonly { results: TagCount[] }[]
  isComplete: boolean
  onClose: () => void
}

const TYPING_MS = 300

/** Gives a tag another name. With the name of another tag, the two become one: it says so before. */
export function RenameTag({ tag, pages, isComplete, onClose }: RenameProps) {
  const { project_id } = useProjectRef()
  const [{ name: typed }, change, forget] = useDraft(`tag-name.${project_id}.${tag}`, { name: tag })
  const name = typed.trim()
  const other = useOther(name, { tag, pages, isComplete })
  const rename = useRename(tag, other !== null, () => {
    forget()
    onClose()
  })
  const errors = fieldErrors(rename.error)
  const isSame = name === '' || name === tag
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!(isSame || rename.isPending)) rename.mutate(name)
  }
  const count = findTag(pages, tag)?.count
  return (
    <Dialog title={`Rename “${tag}”`} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextField
          label="New name"
          dir="auto"
          autoComplete="off"
          maxLength={50}
          hint={`${count === undefined ? 'All submissions with it' : submissionsText(count)} and the widgets that filter by it follow.`}
          value={typed}
          onChange={({ target }) => change({ name: target.value })}
          error={errors.get('name')}
        />
        <div role="status">{other !== null && <MergeNote tag={tag} name={name} count={other.count} />}</div>
        {rename.error && errors.size === 0 && <ErrorNote error={rename.error} />}
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={other === null ? 'primary' : 'danger'} type="submit" isBusy={rename.isPending} aria-disabled={isSame}>
            {other === null ? 'Rename' : 'Merge'}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

function MergeNote({ tag, name, count }: { tag: string; name: string; count: number | null }) {
  return (
    <Note look="warn">
      “<bdi>{name}</bdi>” is a tag already{count !== null && `, on ${submissionsText(count)}`}. The two become one: “<bdi>{tag}</bdi>” is
      gone, and nobody can tell afterwards which submissions had it. This cannot be undone.
    </Note>
  )
}

/** The other tag with this name, once the person pauses; with a count if its page is loaded. */
function useOther(name: string, { tag, pages, isComplete }: Omit<RenameProps, 'onClose'>): { count: number | null } | null {
  const ref = useProjectRef()
  const settled = useSettled(name)
  const known = name === tag ? undefined : findTag(pages, name)
  const isAsked = !(isComplete || known) && settled === name && name !== '' && name !== tag
  const { data: isTag } = useQuery({ ...isTagQuery(ref, settled), enabled: isAsked })
  if (known) return { count: known.count }
  return isAsked && isTag === true ? { count: null } : null
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

function useRename(tag: string, isMerge: boolean, onDone: () => void) {
  const ref = useProjectRef()
  return useMutation({
    mutationFn: (name: string) => api.tags.update({ ...ref, tag, name }),
    onSuccess: async ({ tag: name }) => {
      onDone()
      toast({ look: 'good', text: isMerge ? `Merged “${tag}” into “${name}”` : `Renamed “${tag}” to “${name}”` })
      await refreshTags(ref.project_id)
    },
  })
}
