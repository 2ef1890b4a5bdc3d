import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 48rem)')

/** Whether the window has room for the list or for what is read, but not for both. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}
