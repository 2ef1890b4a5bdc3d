import { Button } from '../ui/button.tsx'
import { sendAll, useHeld, useSendFailure } from './decisions.ts'

/** Says that decisions wait for the connection; they are kept until they are sent or taken back. */
export function NotSent({ className = 'bar-note' }: { className?: string }) {
  const failure = useSendFailure()
  const held = useHeld()
  if (failure === null || held.size === 0) return null
  return (
    <div className={className} role="status">
      <span>{held.size === 1 ? 'One decision is not sent yet.' : `${held.size} decisions are not sent yet.`} Trying again…</span>
      <Button look="quiet" onClick={() => void sendAll()}>
        Send now
      </Button>
    </div>
  )
}
