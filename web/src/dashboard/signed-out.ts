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

/** Calls back whenever the same person has signed in again, until the signal aborts. */
export function onSignedIn(listener: () => void, signal?: AbortSignal): void {
  signInListeners.add(listener)
  signal?.addEventListener('abort', () => signInListeners.delete(listener), { once: true })
}

/** Resolves once the same person has signed in again, or the signal aborts. */
export async function untilSignedIn(signal: AbortSignal): Promise<void> {
  if (!hasEnded || signal.aborted) return
  const over = new AbortController()
  await new Promise<void>((resolve) => {
    onSignedIn(resolve, over.signal)
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over.signal })
  })
  over.abort()
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
