import type { InfiniteData } from '@tanstack/react-query'
import { queries } from '../api.ts'

/** The reads of visitors, which previews use, are few a minute for each address. */
const REFRESH_MS = 30_000

/** The projects whose previews are read again soon, and when they were read last. */
const refreshing = new Set<string>()
const refreshedAtMs = new Map<string, number>()

/** Reads previews of widgets again after what they show changed. Those on the screen wait, so that many changes are read once. */
export function refreshPreviews(project_id: string): void {
  outdate(project_id, 'inactive')
  if (refreshing.has(project_id)) return
  refreshing.add(project_id)
  const dueMs = (refreshedAtMs.get(project_id) ?? Number.NEGATIVE_INFINITY) + REFRESH_MS
  setTimeout(
    () => {
      refreshing.delete(project_id)
      refreshedAtMs.set(project_id, performance.now())
      outdate(project_id, 'active')
    },
    Math.max(0, dueMs - performance.now()),
  )
}

function outdate(project_id: string, type: 'active' | 'inactive'): void {
  const isSeen = document.visibilityState === 'visible'
  const refetchType = type === 'active' && isSeen ? 'active' : 'none'
  // Nothing observes it: each read of the material takes it, as it is or anew.
  void queries.invalidateQueries({ queryKey: ['widget-start', project_id], refetchType: 'none' })
  const material = { queryKey: ['widget-material', project_id], type }
  // Otherwise all pages would be read again, instead of as many as the settings need. A tab that nobody sees reads nothing.
  if (type === 'inactive' || isSeen)
    queries.setQueriesData<InfiniteData<unknown>>(
      material,
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    )
  void queries.invalidateQueries({ ...material, refetchType })
  void queries.invalidateQueries({ queryKey: ['public-widget'], type, refetchType })
}
