import { useEffect, useRef } from 'react'
import { hasSingleKeys } from './single-keys.ts'

/** Held down, only these repeat. A decision is one press. */
const REPEATING = new Set(['j', 'k', 'arrowdown', 'arrowup'])

type Actions = Readonly<Record<string, () => unknown>>

/** Runs an action by one key, named in lower case (`arrowdown`), as long as nobody types, no dialog is open and no modifier is held. */
export function useKeys(actions: Actions): void {
  const current = useRef(actions)
  current.current = actions
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { ctrlKey, metaKey, altKey, target, repeat } = event
      const key = event.key.toLowerCase()
      const action = current.current[key]
      const isOff = key.length === 1 && key !== '?' && !hasSingleKeys()
      if (!action || isOff || ctrlKey || metaKey || altKey || (repeat && !REPEATING.has(key)) || isBusy(target, key)) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

function isBusy(target: EventTarget | null, key: string): boolean {
  if (document.querySelector('dialog[open], [popover]:popover-open') !== null) return true
  if (!(target instanceof Element)) return false
  if (target.closest('input, textarea, select, [contenteditable="true"], video') !== null) return true
  // A button or a link that has the focus keeps its own keys.
  return key === 'enter' && target.closest('button, a') !== null
}
