import { useEffect, useRef } from 'react'

type Actions = Readonly<Record<string, () => unknown>>

/** Runs an action by one key, named in lower case (`arrowdown`), as long as nobody types, no dialog is open and no modifier is held. */
export function useKeys(actions: Actions): void {
  const current = useRef(actions)
  current.current = actions
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event
      const action = current.current[key.toLowerCase()]
      if (!action || ctrlKey || metaKey || altKey || isBusy(target, key)) return
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
  return key === 'Enter' && target.closest('button, a') !== null
}
