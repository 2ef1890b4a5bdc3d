import { useRouterState } from '@tanstack/react-router'

/** A line at the top of the window while the next page is loaded. What is fast shows none: it appears after 300 ms. */
export function LoadingBar() {
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' })
  if (!isLoading) return null
  return <div className="loading-bar" role="progressbar" aria-label="Loading the page" />
}
