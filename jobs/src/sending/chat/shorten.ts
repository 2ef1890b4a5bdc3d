const ELLIPSIS = '…'
/** Longer than any emoji: how far behind a cut its character is looked for. */
const CHARACTER_UNITS = 64
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Returns a text in a vendor's notation, at most `max` UTF-16 units long. What does not fit is cut off between two characters as
 * people see them (UAX #29), with an ellipsis. `write` must not shorten a text.
 */
export function shorten(text: string, max: number, write: (text: string) => string = (same) => same): string {
  const whole = text.length > max ? null : write(text)
  if (whole !== null && whole.length <= max) return whole
  let fits = 0
  let exceeds = Math.min(text.length, max)
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2)
    if (write(text.slice(0, middle)).length + ELLIPSIS.length <= max) fits = middle
    else exceeds = middle
  }
  return write(text.slice(0, borderBefore(text, fits)).trimEnd()) + ELLIPSIS
}

function borderBefore(text: string, index: number): number {
  const start = characters.segment(text.slice(0, index + CHARACTER_UNITS)).containing(index)?.index ?? index
  if (start > 0) return start
  // One character alone exceeds the limit, as with thousands of accents: it is cut between two code points.
  return text.slice(0, index).isWellFormed() ? index : Math.max(0, index - 1)
}
