import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorNote } from './error-note.tsx'
import { TextField } from './field.tsx'

interface ConfirmProps {
  title: string
  /** What will happen, and whether it can be undone. */
  children: ReactNode
  /** The verb of the button. */
  action: string
  look?: 'primary' | 'danger'
  /** What the person types before the button works, for what destroys much. */
  typed?: { label: string; text: string }
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something that cannot be taken back. It stays open with the reason when the action fails. */
export function Confirm({ title, children, action, look = 'danger', typed, onConfirm, onClose }: ConfirmProps) {
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [words, setWords] = useState('')
  const isTyped = typed === undefined || words.trim().toLowerCase() === typed.text.toLowerCase()
  const confirm = async () => {
    if (!isTyped) return
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
        {typed && (
          <TextField label={typed.label} value={words} onChange={(event) => setWords(event.target.value)} autoComplete="off" dir="auto" />
        )}
        {error !== null && <ErrorNote error={error} />}
      </div>
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button look={look} isBusy={isBusy} aria-disabled={!isTyped} onClick={() => void confirm()}>
          {action}
        </Button>
      </footer>
    </Dialog>
  )
}
