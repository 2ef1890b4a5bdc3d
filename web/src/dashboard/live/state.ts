import { useSyncExternalStore } from 'react'

/** `off`: what changes is seen after a reload only. */
type LiveState = 'live' | 'connecting' | 'off'

let current: LiveState = 'connecting'
const listeners = new Set<() => void>()

export function setLiveState(state: LiveState): void {
  current = state
  for (const listener of listeners) listener()
}

/** Whether changes appear by themselves at this moment. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(subscribe, () => current)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
