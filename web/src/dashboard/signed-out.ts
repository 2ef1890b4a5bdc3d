import { useSyncExternalStore } from 'react'

/** Whether the session has ended while pages are open: in another tab, by its age, or by an administrator. */
let isSignedOut = false
const listeners = new Set<() => void>()

/** Called when the service does not know the session any more. */
export function noteSignedOut(): void {
  set(true)
}

/** Called when the person has signed in again. */
export function noteSignedIn(): void {
  set(false)
}

export function useIsSignedOut(): boolean {
  return useSyncExternalStore(subscribe, () => isSignedOut)
}

function set(value: boolean): void {
  if (isSignedOut === value) return
  isSignedOut = value
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
