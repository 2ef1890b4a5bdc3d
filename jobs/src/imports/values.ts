import type { ImportRowError } from '@earshot/contracts'

/** What a cell is read as, or why it cannot be: `detail` continues a sentence that begins with the field. */
export type Reading<Value> = { value: Value } | { error: ImportRowError; detail: string }

/** How the cells of a file are read where they allow several readings. */
export interface Conventions {
  dateOrder: 'dmy' | 'mdy' | null
  ratingScale: 5 | 10 | 100 | null
}

const NUMBER_WORDS = new Map(['one', 'two', 'three', 'four', 'five'].map((word, index) => [word, index + 1]))
const STARS = /^(?:[★⭐☆✩✭ ]|\u{FE0F})+$/u
const FULL_STARS = /[★⭐]/gu
const NUMBERED = /^(\d{1,3}(?:[.,]\d{1,9})?) ?(?:(?:\/|out of|of|von|sur) ?(\d{1,3})|stars?|%)?$/

/** Reads a rating as 1 to 5 stars: `4`, `4.5`, `4/5`, `8/10`, `5 stars`, `★★★★☆`, `FIVE`. Halves are rounded up. */
export function readRating(cell: string, { ratingScale }: Conventions): Reading<number> {
  const text = cell.toLowerCase()
  const stars = STARS.test(text) ? (text.match(FULL_STARS)?.length ?? 0) : NUMBER_WORDS.get(text.replace(/ stars?$/, ''))
  if (stars !== undefined) return starsOf(stars, 5)
  const [, number, best] = NUMBERED.exec(text) ?? []
  if (number === undefined) return { error: 'invalid_format', detail: 'must be a rating such as 4, 4/5, 8/10 or ★★★★☆' }
  const value = Number(number.replace(',', '.'))
  const scale = text.endsWith('%') ? 100 : Number(best ?? ratingScale ?? 0)
  if (scale === 0 && value > 5 && !text.includes('star')) {
    return { error: 'ambiguous_rating', detail: 'is more than 5: say with `rating_scale` what the best rating is' }
  }
  return starsOf(value, scale || 5)
}

function starsOf(value: number, scale: number): Reading<number> {
  if (![5, 10, 100].includes(scale)) return { error: 'invalid_value', detail: 'must be out of 5, 10 or 100' }
  if (value > scale) return { error: 'invalid_value', detail: `must be at most ${scale}` }
  const stars = Math.round((value * 5) / scale)
  return stars < 1 ? { error: 'invalid_value', detail: 'must be at least one star' } : { value: stars }
}

/** Reads yes or no. */
export function readBoolean(cell: string): Reading<boolean> {
  const text = cell.toLowerCase()
  if (['true', 'yes', 'y', '1', 'x'].includes(text)) return { value: true }
  if (['false', 'no', 'n', '0'].includes(text)) return { value: false }
  return { error: 'invalid_value', detail: 'must be true or false, or yes or no' }
}

/** Reads a number, as our own export writes it. */
export function readNumber(cell: string): Reading<number> {
  if (!/^-?\d+(\.\d+)?(e-\d+)?$/.test(cell)) return { error: 'invalid_format', detail: 'must be a number' }
  return { value: Number(cell) }
}

/** Reads tags: a JSON list of words, or words between commas, semicolons or bars. */
export function readTags(cell: string): Reading<string[]> {
  const words = cell.startsWith('[') ? wordsOf(cell) : null
  return { value: [...new Set(words ?? cell.split(/[,;|]/).map((tag) => tag.trim()))].filter((tag) => tag !== '') }
}

function wordsOf(cell: string): string[] | null {
  try {
    const list: unknown = JSON.parse(cell)
    return Array.isArray(list) && list.every((word) => typeof word === 'string') ? list : null
  } catch {
    return null
  }
}

/** Reads a language tag. Programs write `en_US` for `en-US`. */
export function readLanguage(cell: string): Reading<string> {
  return { value: cell.replaceAll('_', '-') }
}
