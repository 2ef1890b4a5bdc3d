import { useCallback, useRef, useState } from 'react'
import type { Submission } from '../api.ts'
import { rangeOf, toggled } from './picks.ts'

export interface Picked {
  ids: ReadonlySet<string>
  /** Picks one or takes it back; as a range, all from the last one, or from the one that is read, to this one. */
  toggle: (id: string, isRange?: boolean) => void
  all: () => void
  none: () => void
}

const NONE: ReadonlySet<string> = new Set()

/** The submissions that the next decision is for, when it is for more than the one that is read. */
export function usePicked(items: readonly Submission[], activeId: string | null): Picked {
  const [ids, setIds] = useState(NONE)
  const last = useRef<string | null>(null)
  const list = useRef(items)
  list.current = items
  const shown = ids.size === 0 ? [] : items.filter(({ id }) => ids.has(id))
  const start = useRef<string | null>(null)
  start.current = shown.length === 0 ? activeId : last.current
  const toggle = useCallback((id: string, isRange = false) => {
    const range = isRange ? rangeOf(list.current, start.current, id) : null
    last.current = id
    setIds((before) => (range ? new Set([...before, ...range]) : toggled(before, id)))
  }, [])
  return {
    // What left the list is not decided on unseen.
    ids: shown.length === 0 ? NONE : new Set(shown.map(({ id }) => id)),
    toggle,
    all: () => setIds(new Set(items.map(({ id }) => id))),
    none: () => setIds(NONE),
  }
}
