import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api.ts'
import { useProject, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { toast, toastFailure } from '../ui/toasts.tsx'
import { isTestimonial, keepWords, refreshWords, type Words } from './words.ts'

/** What a member can do with what is open: decide, edit, delete. */
export function Decisions({ words, onEdit }: { words: Words; onEdit: (() => void) | null }) {
  const [isDeleting, setIsDeleting] = useState(false)
  const decide = useDecision(words)
  return (
    <div className="row">
      {words.state !== 'approved' && (
        <Button icon="check" isBusy={decide.isPending} onClick={() => decide.mutate('approve')}>
          Approve
        </Button>
      )}
      {words.state !== 'rejected' && (
        <Button icon="x" isBusy={decide.isPending} onClick={() => decide.mutate('reject')}>
          {words.state === 'approved' ? 'Take down' : 'Reject'}
        </Button>
      )}
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

function useDecision(words: Words) {
  const { team_id, project_id, id, state } = words
  return useMutation({
    mutationFn: (action: 'approve' | 'reject') =>
      api.submissions[action]({ team_id, project_id, submission_id: id, expected_state: state }),
    onSuccess: async (decided) => {
      keepWords({ ...words, ...decided })
      toast({ look: 'good', text: resultOf(decided) })
      await refreshWords(project_id)
    },
    onError: async (error) => {
      toastFailure(error)
      await refreshWords(project_id)
    },
  })
}

function resultOf({ state, public: isPublic }: Words): string {
  if (state === 'rejected') return 'Rejected. Visitors do not see it.'
  return isPublic ? 'Approved. It is public now.' : 'Approved. It becomes public when the customer consents.'
}

function DeleteWords({ words, onClose }: { words: Words; onClose: () => void }) {
  const { team_id, project_id, id, author } = words
  const navigate = useNavigate({ from: '/$team/$project/testimonials' })
  const remove = async () => {
    await api.submissions.delete({ team_id, project_id, submission_id: id })
    await navigate({ search: (before) => ({ ...before, item: undefined }) })
    toast({ look: 'good', text: 'Deleted.' })
    await refreshWords(project_id)
  }
  return (
    <Confirm title={`Delete the words of ${author.name}?`} action="Delete" onConfirm={remove} onClose={onClose}>
      <p>They disappear from this list, from every widget and from the API at once. This cannot be undone.</p>
      {words.state === 'approved' && <p>To hide them for now, use “Take down” instead.</p>}
    </Confirm>
  )
}
