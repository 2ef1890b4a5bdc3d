import { isFramed } from './frame.ts'

/** What the entry of a question in the browser's history notes. */
interface Entry {
  ref: string
  /** How many entries of this survey are before it. */
  depth: number
}

/** The questions that a visitor went through, in the history of the browser. A page in a frame leaves the history to the page around it. */
export interface Trail {
  /** Notes the question that is shown now. */
  note: (ref: string, isNext: boolean) => void
  /** Goes to the entry before, if it is one of this survey. Returns false without one. */
  back: () => boolean
  /** Leaves the questions behind: the next way back leads out of the page. */
  end: () => void
}

/** Opens the history of a survey. `onMove` is called after the visitor has gone back or forth in it. */
export function openTrail(onMove: (ref: string, isBack: boolean) => void): Trail {
  if (isFramed) return { note: () => {}, back: () => false, end: () => {} }
  let { depth } = entryOf(history.state) ?? { depth: 0 }
  let isOpen = true
  /** The browser goes back later than it is asked to: a second press meanwhile would lead further, even out of the survey. */
  let isGoing = false
  addEventListener('popstate', ({ state }) => {
    isGoing = false
    const entry = entryOf(state)
    if (!isOpen || !entry) return
    const isBack = entry.depth < depth
    depth = entry.depth
    onMove(entry.ref, isBack)
  })
  return {
    note: (ref, isNext) => {
      if (!isOpen) return
      if (isNext) depth += 1
      const entry: Entry = { ref, depth }
      if (isNext) history.pushState(entry, '')
      else history.replaceState(entry, '')
    },
    back: () => {
      if (!isOpen || depth === 0) return false
      if (!isGoing) history.back()
      isGoing = true
      return true
    },
    end: () => {
      if (isOpen && depth > 0) history.go(-depth)
      isOpen = false
    },
  }
}

/** Another page of this origin may have left something else. */
function entryOf(state: unknown): Entry | null {
  if (typeof state !== 'object' || state === null || !('ref' in state) || !('depth' in state)) return null
  const { ref, depth } = state
  return typeof ref === 'string' && typeof depth === 'number' ? { ref, depth } : null
}
