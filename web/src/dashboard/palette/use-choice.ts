import { type KeyboardEvent, useState } from 'react'
import type { Entry } from './entry.ts'

/** Rows that PageUp and PageDown pass. */
const PAGE = 8

interface Choice {
  /** The entry that Enter chooses. */
  active: Entry | undefined
  point: (entry: Entry | null) => void
  press: (event: KeyboardEvent) => void
}

/** Moves through the entries that are shown by the keys of the field, and chooses one. `idOf` names the element of an entry. */
export function useChoice(shown: readonly Entry[], idOf: (entry: Entry) => string, choose: (entry: Entry) => void): Choice {
  const [activeId, setActiveId] = useState<string | null>(null)
  const active = shown.find(({ id }) => id === activeId) ?? shown[0]
  const press = (event: KeyboardEvent) => {
    // Enter ends the input of a Japanese or Chinese word.
    if (event.nativeEvent.isComposing || !active) return
    const next = nextOf(event.key, shown, shown.indexOf(active))
    if (!next && event.key !== 'Enter') return
    event.preventDefault()
    if (!next) return choose(active)
    setActiveId(next.id)
    document.getElementById(idOf(next))?.scrollIntoView({ block: 'nearest' })
  }
  return { active, press, point: (entry) => setActiveId(entry?.id ?? null) }
}

function nextOf(key: string, shown: readonly Entry[], at: number): Entry | undefined {
  const last = shown.length - 1
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at === last ? 0 : at + 1,
    ArrowUp: at === 0 ? last : at - 1,
    PageDown: Math.min(at + PAGE, last),
    PageUp: Math.max(at - PAGE, 0),
  }
  const target = targets[key]
  return target === undefined ? undefined : shown[target]
}
