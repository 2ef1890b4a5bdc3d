import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queries, type Submission } from '../api.ts'
import { deleteOwn, isOwnDeletion } from '../own-deletions.ts'
import { useProject, useProjectRef } from '../shell/places.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { nameInText } from '../ui/names.ts'
import { countText } from '../ui/numbers.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toasts.tsx'
import { useHeld } from './decisions.ts'
import { moveSubmissions } from './lists.ts'
import { Reading } from './reading.tsx'

interface ReadingPaneProps {
  id: string | null
  /** The submission, if the list shows it. */
  shown: Submission | undefined
  position: { index: number; count: number; hasMore: boolean } | null
  pickedCount: number
  /** What the buttons decide on. */
  chosen: readonly Submission[]
  canModerate: boolean
  onApprove: () => void
  onReject: () => void
  onDeleted: (id: string) => void
  /** Goes back to the list, on a phone. */
  onClose: (() => void) | null
}

/** What is read, with the decision above it. */
export function ReadingPane(props: ReadingPaneProps) {
  const { id, shown, position, pickedCount, onClose } = props
  return (
    <section className="read" aria-label="Submission">
      <div className="read-bar">
        {onClose && <IconButton icon="left" label="Back to the list" onClick={onClose} />}
        <span>{pickedCount > 0 ? `${pickedCount} selected` : positionText(position)}</span>
        <Decision {...props} />
        {shown && pickedCount === 0 && <Actions item={shown} canDelete={props.canModerate} onDeleted={props.onDeleted} />}
      </div>
      <div className="read-body">
        <Content id={id} shown={shown} canWrite={props.canModerate} />
      </div>
    </section>
  )
}

function Decision({ chosen, canModerate, onApprove, onReject }: ReadingPaneProps) {
  if (!canModerate || chosen.length === 0) return null
  const canReject = chosen.some(({ state }) => state !== 'rejected')
  const canApprove = chosen.some(({ state }) => state !== 'approved')
  const isTakedown = chosen.every(({ state }) => state === 'approved')
  return (
    <div className="decision">
      {canReject && (
        <Button icon="x" shortcut="R" onClick={onReject} className="no">
          {isTakedown ? 'Take down' : 'Reject'}
        </Button>
      )}
      {canApprove && (
        <Button look="primary" icon="check" shortcut="A" onClick={onApprove}>
          Approve
        </Button>
      )}
    </div>
  )
}

function Content({ id, shown, canWrite }: { id: string | null; shown: Submission | undefined; canWrite: boolean }) {
  const ref = useProjectRef()
  const held = useHeld()
  const isElsewhere = id !== null && shown === undefined && !held.has(id) && !isOwnDeletion(id)
  const query = useQuery({
    queryKey: ['submission', id],
    queryFn: () => api.submissions.retrieve({ ...ref, submission_id: id ?? '' }),
    enabled: isElsewhere,
  })
  const item = shown ?? (isElsewhere ? query.data : undefined)
  if (item) return <Reading item={item} canWrite={canWrite} />
  if (isElsewhere && query.error) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
  if (isElsewhere) return <Skeleton rows={3} />
  return (
    <Empty icon="quote" title="Nothing to read">
      Choose a submission from the list.
    </Empty>
  )
}

function Actions({ item, canDelete, onDeleted }: { item: Submission; canDelete: boolean; onDeleted: (id: string) => void }) {
  const [isAsking, setIsAsking] = useState(false)
  const project = useProject()
  const { team_id, project_id, id } = item
  const remove = useMutation({
    mutationFn: () => deleteOwn(id, () => api.submissions.delete({ team_id, project_id, submission_id: id })),
    onSuccess: () => {
      onDeleted(id)
      moveSubmissions(project_id, new Map([[id, 'deleted']]))
      void queries.invalidateQueries({ queryKey: ['counts', project.id] })
      toast({ look: 'good', text: 'Deleted' })
    },
  })
  return (
    <>
      <Menu className="icon-btn" label="More" trigger={<Icon name="dots" />}>
        <MenuItem icon="link" onSelect={() => void navigator.clipboard?.writeText(addressOf(id))}>
          Copy the link
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => void navigator.clipboard?.writeText(id)}>
          Copy the id
        </MenuItem>
        {canDelete && (
          <MenuItem icon="trash" onSelect={() => setIsAsking(true)}>
            Delete
          </MenuItem>
        )}
      </Menu>
      {isAsking && (
        <Confirm
          title={`Delete ${nameInText(item.author.name)}’s words?`}
          action="Delete"
          onConfirm={() => remove.mutateAsync()}
          onClose={() => setIsAsking(false)}
        >
          <p>They disappear from every list and page at once, and cannot be brought back. To keep them private, reject them instead.</p>
        </Confirm>
      )}
    </>
  )
}

function addressOf(id: string): string {
  const url = new URL(location.href)
  url.search = String(new URLSearchParams({ item: id }))
  return url.href
}

function positionText(position: ReadingPaneProps['position']): string {
  if (position === null) return ''
  return `${countText(position.index + 1)} of ${countText(position.count)}${position.hasMore ? '+' : ''}`
}
