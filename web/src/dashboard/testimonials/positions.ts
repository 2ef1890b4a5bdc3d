import type { Testimonial } from './words.ts'

/** The least distance of neighbours; below it all are numbered anew. */
const LEAST_GAP = 1e-6

export interface Placed {
  testimonial: Testimonial
  position: number
}

/**
 * Returns the positions to store so that the list keeps the order in which it is given, after one of it was moved. As a rule it is
 * one: a fraction between the neighbours. Those above that have no position yet get one, and all do when no fraction fits.
 */
export function placesAfterMove(moved: readonly Testimonial[], index: number): Placed[] {
  const testimonial = moved[index]
  if (!testimonial) return []
  const before = moved.slice(0, index)
  const above = before.at(-1)?.position ?? null
  const below = moved[index + 1]?.position ?? null
  if (before.some(({ position }) => position === null)) return numbered(moved.slice(0, index + 1))
  const position = between(above, below)
  const fits = (above === null || position - above >= LEAST_GAP) && (below === null || below - position >= LEAST_GAP)
  return fits ? [{ testimonial, position }] : numbered(moved)
}

function between(above: number | null, below: number | null): number {
  if (above !== null && below !== null) return (above + below) / 2
  if (above !== null) return above + 1
  return below === null ? 1 : below - 1
}

function numbered(testimonials: readonly Testimonial[]): Placed[] {
  return testimonials
    .map((testimonial, index) => ({ testimonial, position: index + 1 }))
    .filter(({ testimonial: { position }, position: next }) => position !== next)
}
