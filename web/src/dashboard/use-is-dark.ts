import { useSyncExternalStore } from 'react'
import { isDark, subscribeToTheme } from './theme.ts'

/** Whether the page is dark, also when that changes. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribeToTheme, isDark)
}
