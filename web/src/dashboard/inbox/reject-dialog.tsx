import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea } from '../ui/field.tsx'

interface RejectDialogProps {
  /** Whose words, or how many. */
  what: string
  /** They are public now. */
  isTakedown: boolean
  onReject: (reason: string | null) => void
  onClose: () => void
}

/** Asks why. Enter rejects, also without a reason. */
export function RejectDialog({ what, isTakedown, onReject, onClose }: RejectDialogProps) {
  const [reason, setReason] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
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
          onChange={(event) => setReason(event.target.value)}
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
