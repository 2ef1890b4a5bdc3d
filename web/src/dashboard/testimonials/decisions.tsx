import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api.ts'
import { decide, takeBack, useHeld } from '../inbox/decisions.ts'
import { RejectDialog } from '../inbox/reject-dialog.tsx'
import { deleteOwn } from '../own-deletions.ts'
import { useProject, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { nameInText } from '../ui/names.ts'
import { toast } from '../ui/toasts.tsx'
import { isTestimonial, refreshWords, type Words } from './words.ts'

/** What a member can do with what is open: decide, edit, delete. */
export function Decisions({ words, onEdit }: { words: Words; onEdit: (() => void) | null }) {
  const [isDeleting, setIsDeleting] = useState(false)
  return (
    <div className="row">
      <Decision words={words} />
      {onEdit && (
        <Button icon="edit" onClick={onEdit}>
          Edit
        </Button>
      )}
      {!isTestimonial(words) && <InboxLink words={words} />}
      <Button icon="trash" onClick={() => setIsDeleting(true)}>
        Delete
      </Button>
      {isDeleting && <DeleteWords words={words} onClose={() => setIsDeleting(false)} />}
    </div>
  )
}

/** Decisions are held as in the inbox: for five seconds the same button, and the key `z`, take them back. */
function Decision({ words }: { words: Words }) {
  const [isAsking, setIsAsking] = useState(false)
  const held = useHeld().get(words.id)
  const isApproved = words.state === 'approved'
  const reject = { look: isApproved ? 'Take down' : 'Reject', ask: () => setIsAsking(true) }
  // The first button stays in the document, so that the focus does.
  return (
    <>
      {held ? (
        <Button icon="undo" shortcut="Z" isBusy={held.isSending || held.isTried} onClick={() => takeBack(held.press)}>
          Undo
        </Button>
      ) : (
        <Button icon={isApproved ? 'x' : 'check'} onClick={isApproved ? reject.ask : () => decide([words], 'approve')}>
          {isApproved ? reject.look : 'Approve'}
        </Button>
      )}
      {!held && words.state === 'pending' && (
        <Button icon="x" onClick={reject.ask}>
          {reject.look}
        </Button>
      )}
      {isAsking && (
        <RejectDialog
          submissions={[words]}
          onClose={() => setIsAsking(false)}
          onReject={(reason) => {
            setIsAsking(false)
            decide([words], 'reject', reason)
          }}
        />
      )}
    </>
  )
}

/** Testimonials have an excerpt and a place of their own; the others are moderated in the inbox. */
function InboxLink({ words: { id, state } }: { words: Words }) {
  const { slug: team } = useTeam()
  const { slug: project } = useProject()
  return (
    <Link className="btn plain" to="/$team/$project/inbox" params={{ team, project }} search={{ item: id, state }}>
      Open in the inbox
    </Link>
  )
}

function DeleteWords({ words, onClose }: { words: Words; onClose: () => void }) {
  const { team_id, project_id, id, author } = words
  const navigate = useNavigate({ from: '/$team/$project/testimonials' })
  const remove = async () => {
    await deleteOwn(id, () => api.submissions.delete({ team_id, project_id, submission_id: id }))
    await navigate({ search: (before) => ({ ...before, item: undefined }) })
    toast({ look: 'good', text: 'Deleted.' })
    await refreshWords(project_id)
  }
  return (
    <Confirm title={`Delete the words of ${nameInText(author.name)}?`} action="Delete" onConfirm={remove} onClose={onClose}>
      <p>They disappear from this list, from every widget and from the API at once. This cannot be undone.</p>
      {words.state === 'approved' && <p>To hide them for now, use “Take down” instead.</p>}
    </Confirm>
  )
}
