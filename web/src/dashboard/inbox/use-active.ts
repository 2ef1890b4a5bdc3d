import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Submission } from '../api.ts'
import { afterLeaving, afterSteps } from './reading-order.ts'

/** How long the address waits for the next key, so that holding `j` writes it once. */
const ADDRESS_MS = 250

export interface Active {
  /** The submission that is read; null in an empty list, and on a phone until one is opened. */
  id: string | null
  /** Its place in the list; -1 when the list does not show it. */
  index: number
  open: (id: string) => void
  move: (steps: number) => void
  /** Moves on from submissions that leave the list. */
  leave: (leaving: ReadonlySet<string>) => void
  close: () => void
}

/**
 * Which submission is read, by `item` of the address. The state is kept here and the address follows, because a key must show its
 * effect within a frame.
 */
export function useActive(items: readonly Submission[], item: string | undefined, isNarrow: boolean): Active {
  const navigate = useNavigate({ from: '/$team/$project/inbox' })
  const [chosen, setChosen] = useState(item ?? null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Back and forward, and links.
  useEffect(() => setChosen(item ?? null), [item])
  useEffect(() => () => clearTimeout(timer.current), [])

  const show = useCallback(
    (id: string | null, isStep: boolean) => {
      setChosen(id)
      clearTimeout(timer.current)
      const write = () =>
        void navigate({ search: ({ item: _item, ...others }) => (id === null ? others : { ...others, item: id }), replace: isStep })
      if (isStep) timer.current = setTimeout(write, ADDRESS_MS)
      else write()
    },
    [navigate],
  )
  const hasChosen = chosen !== null
  // On a phone, the list is one step back.
  const open = useCallback((next: string) => show(next, !isNarrow || hasChosen), [show, isNarrow, hasChosen])
  // What is read stays, whatever arrives above it.
  const firstId = items[0]?.id
  useEffect(() => {
    if (!isNarrow && chosen === null && firstId !== undefined) setChosen(firstId)
  }, [isNarrow, chosen, firstId])
  const id = chosen ?? (isNarrow ? null : (firstId ?? null))
  const index = items.findIndex((one) => one.id === id)
  // What a colleague decided leaves the list while it is read; the next one is at its place.
  const last = useRef(0)
  if (index >= 0) last.current = index
  const place = { index, lastIndex: last.current }
  return {
    id,
    index,
    open,
    move: (steps) => {
      const next = afterSteps(items, place, steps)
      if (next) show(next.id, true)
    },
    leave: (leaving) => {
      if (id === null || !leaving.has(id)) return
      show(afterLeaving(items, place, leaving)?.id ?? null, true)
    },
    close: () => show(null, true),
  }
}
