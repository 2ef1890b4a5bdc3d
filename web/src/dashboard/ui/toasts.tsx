import { useSyncExternalStore } from 'react'
import { Button } from './button.tsx'
import { explain } from './error-text.ts'
import { Icon } from './icon.tsx'

const SHOWN_MS = 5_000
/** Failures stay until they are read. */
const SHOWN_FAILURE_MS = 15_000
const MAX_SHOWN = 3

interface Toast {
  id: number
  look: 'good' | 'bad' | 'info'
  text: string
  action?: { label: string; shortcut?: string; run: () => void }
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Shows a message for some seconds. Returns a function that takes it away. */
export function toast(given: Omit<Toast, 'id'>, shownMs = given.look === 'bad' ? SHOWN_FAILURE_MS : SHOWN_MS): () => void {
  lastId += 1
  const shown = { ...given, id: lastId }
  set([...toasts, shown].slice(-MAX_SHOWN))
  const remove = () => set(toasts.filter((one) => one !== shown))
  setTimeout(remove, shownMs)
  return remove
}

/** Shows a failure of something that has no place of its own on the page. */
export function toastFailure(error: unknown): void {
  const { what, help } = explain(error)
  toast({ look: 'bad', text: `${what} ${help}`.trim() })
}

/** Where the messages appear. They are read out, politely. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, look, text, action }) => (
        <div key={id} className={`toast ${look}`}>
          <Icon name={look === 'bad' ? 'warn' : 'check'} />
          <span>{text}</span>
          {action && (
            <Button look="quiet" onClick={action.run} {...(action.shortcut && { shortcut: action.shortcut })}>
              {action.label}
            </Button>
          )}
        </div>
      ))}
    </div>
  )
}

function set(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
