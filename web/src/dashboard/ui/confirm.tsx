import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorNote } from './error-note.tsx'

interface ConfirmProps {
  title: string
  /** What will happen, and whether it can be undone. */
  children: ReactNode
  /** The verb of the button. */
  action: string
  look?: 'primary' | 'danger'
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something that cannot be taken back. It stays open with the reason when the action fails. */
export function Confirm({ title, children, action, look = 'danger', onConfirm, onClose }: ConfirmProps) {
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const confirm = async () => {
    setIsBusy(true)
    setError(null)
    try {
      await onConfirm()
      onClose()
    } catch (failure) {
      setError(failure)
      setIsBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack">
        {children}
        {error !== null && <ErrorNote error={error} />}
      </div>
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button look={look} isBusy={isBusy} onClick={() => void confirm()}>
          {action}
        </Button>
      </footer>
    </Dialog>
  )
}
