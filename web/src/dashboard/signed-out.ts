import { useSyncExternalStore } from 'react'

/** Whether the session has ended while pages are open: in another tab, by its age, or by an administrator. */
let hasEnded = false
const listeners = new Set<() => void>()
const signInListeners = new Set<() => void>()

/** Called when the service does not know the session any more. */
export function noteSignedOut(): void {
  set(true)
}

/** Called when the same person has signed in again. */
export function noteSignedIn(): void {
  set(false)
  for (const listener of signInListeners) listener()
}

export function isSignedOut(): boolean {
  return hasEnded
}

export function useIsSignedOut(): boolean {
  return useSyncExternalStore(subscribe, isSignedOut)
}

/** Calls back whenever the same person has signed in again. */
export function onSignedIn(listener: () => void): void {
  signInListeners.add(listener)
}

function set(value: boolean): void {
  if (hasEnded === value) return
  hasEnded = value
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
