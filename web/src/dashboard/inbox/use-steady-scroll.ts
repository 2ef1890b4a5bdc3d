import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

type Rows = Virtualizer<HTMLDivElement, Element>

/** Keeps the rows in sight where they are when others come or go above them. At the top of a list, what arrives is shown. */
export function useSteadyScroll(holder: RefObject<HTMLElement | null>, rows: Rows, items: readonly { id: string }[]): void {
  const seen = useRef<{ id: string; start: number } | null>(null)
  const seenItems = useRef(items)
  useLayoutEffect(() => {
    const place = holder.current
    if (!place) return
    if (seenItems.current !== items) {
      seenItems.current = items
      const index = items.findIndex(({ id }) => id === seen.current?.id)
      const start = rows.measurementsCache[index]?.start
      if (seen.current && start !== undefined && start !== seen.current.start && place.scrollTop > 0)
        place.scrollTop += start - seen.current.start
    }
    const first = rows.getVirtualItems().find(({ end }) => end > place.scrollTop)
    seen.current = first ? { id: String(first.key), start: first.start } : null
  })
}

/** Scrolls to the active row when another one becomes it. */
export function useActiveInSight(rows: Rows, activeIndex: number, activeId: string | null): void {
  // New arrivals above must not move the list under somebody who scrolls.
  const shownId = useRef<string | null>(null)
  useEffect(() => {
    if (activeIndex < 0 || shownId.current === activeId) return
    shownId.current = activeId
    rows.scrollToIndex(activeIndex)
  }, [activeIndex, activeId, rows])
}
