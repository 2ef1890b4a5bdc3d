import type { ReactNode } from 'react'
import type { DraftQuestion } from './draft.ts'

/** How one question takes part in the list, with or without dragging. */
export interface Place {
  question: DraftQuestion
  index: number
  /** What it is dragged by; null while dragging is not loaded. */
  handle: ReactNode
}

/** A list of questions that can be moved. */
export interface OrderedListProps {
  questions: readonly DraftQuestion[]
  onMove: (key: string, to: number) => void
  children: (place: Place) => ReactNode
}
