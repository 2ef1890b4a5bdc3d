/** A span of days: from the first one on, until before the second. Both are dates such as `2026-11-20`. */
export interface DaySpan {
  from: string
  until: string
}

/** Nothing was recorded before; PostgreSQL has no year 0. */
const FIRST_DAY = '1970-01-01'
const LAST_DAY = '9998-12-31'
const DAY_MS = 86_400_000
const NONE: DaySpan = { from: FIRST_DAY, until: FIRST_DAY }

/** Returns a day that PostgreSQL can count with: the given one, or the nearest that it knows. */
export function knownDay(day: string): string {
  if (day < FIRST_DAY) return FIRST_DAY
  return day > LAST_DAY ? LAST_DAY : day
}

/**
 * Splits a range of days, both ends in it, into whole months and the days before and after them. Without an end it goes on
 * for ever there.
 */
export function splitRange({ from, to }: { from?: string | undefined; to?: string | undefined }): {
  months: DaySpan
  before: DaySpan
  after: DaySpan
} {
  const first = from === undefined ? FIRST_DAY : knownDay(from)
  const until = to === undefined ? LAST_DAY : dayAfter(knownDay(to))
  const firstMonth = first.endsWith('-01') ? first : nextMonth(first)
  const endMonth = monthOf(until)
  if (firstMonth > endMonth) return { months: NONE, before: { from: first, until }, after: NONE }
  return { months: { from: firstMonth, until: endMonth }, before: { from: first, until: firstMonth }, after: { from: endMonth, until } }
}

function monthOf(day: string): string {
  return `${day.slice(0, 7)}-01`
}

function nextMonth(day: string): string {
  const [year, month] = day.split('-').map(Number)
  // Date counts months from 0.
  return textOf(Date.UTC(year ?? 0, month ?? 0, 1))
}

function dayAfter(day: string): string {
  return textOf(Date.parse(day) + DAY_MS)
}

function textOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
