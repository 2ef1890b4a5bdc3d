import { queries } from '../api.ts'

const COUNT_MS = 20_000

/** The projects whose figures are asked for soon, and when they were asked for last. */
const counting = new Set<string>()
const countedAtMs = new Map<string, number>()

/** Asks for the figures at once, but only once for all changes of some seconds, and when somebody looks. */
export function countSoon(project_id: string): void {
  if (counting.has(project_id)) return
  counting.add(project_id)
  const dueMs = (countedAtMs.get(project_id) ?? Number.NEGATIVE_INFINITY) + COUNT_MS
  setTimeout(
    () => {
      counting.delete(project_id)
      countedAtMs.set(project_id, performance.now())
      const isSeen = document.visibilityState === 'visible'
      void queries.invalidateQueries({ queryKey: ['counts', project_id], refetchType: isSeen ? 'active' : 'none' })
    },
    Math.max(0, dueMs - performance.now()),
  )
}
