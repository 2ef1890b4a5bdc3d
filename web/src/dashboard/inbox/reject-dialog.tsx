import type { FormEvent } from 'react'
import type { Submission } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useDraft } from '../ui/draft.ts'
import { TextArea } from '../ui/field.tsx'
import { nameInText } from '../ui/names.ts'

interface RejectDialogProps {
  submissions: readonly Submission[]
  onReject: (reason: string | null) => void
  onClose: () => void
}

/** Asks why. Enter rejects, also without a reason. */
export function RejectDialog({ submissions, onReject, onClose }: RejectDialogProps) {
  const [{ reason }, change, forget] = useDraft(`reason.${submissions.map(({ id }) => id).join()}`, { reason: '' })
  const isTakedown = submissions.every(({ state }) => state === 'approved')
  const what = submissions.length === 1 ? `${nameInText(submissions[0]?.author.name ?? '')}’s words` : `${submissions.length} submissions`
  const submit = (event: FormEvent) => {
    event.preventDefault()
    forget()
    onReject(reason.trim() || null)
  }
  const verb = isTakedown ? 'Take down' : 'Reject'
  return (
    <Dialog title={`${verb} ${what}`} onClose={onClose}>
      <form onSubmit={submit}>
        <TextArea
          label="Reason"
          hint={`For your team only. ${isTakedown ? 'The words disappear from every page at once.' : 'Enter rejects, Shift + Enter begins a new line.'}`}
          maxLength={500}
          rows={2}
          value={reason}
          onChange={(event) => change({ reason: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event)
          }}
        />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" type="submit">
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
