import type { KeyboardEvent } from 'react'

/** Whether this key closes a panel. In a dialog over it, the key closes the dialog alone. */
export function isEscape({ key, target, defaultPrevented }: KeyboardEvent): boolean {
  return key === 'Escape' && !defaultPrevented && target instanceof Element && target.closest('dialog') === null
}

/** Gives the focus back to the row of a closed panel, which narrow windows show only then. */
export function focusRow(id: string): void {
  requestAnimationFrame(() => document.getElementById(`row-${id}`)?.focus())
}
