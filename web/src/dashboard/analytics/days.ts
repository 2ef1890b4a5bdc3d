const short = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const monthly = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' })
const MAX_DAYS = 92

/** "Nov 3" of "2026-11-03". */
export function dayText(day: string): string {
  return short.format(new Date(day))
}

/** "Nov 2026" of "2026-11-03". */
export function monthText(day: string): string {
  return monthly.format(new Date(day))
}

/** Whether a chart of single days would be too dense. */
export function isMany(days: number): boolean {
  return days > MAX_DAYS
}

/** Round marks of an axis from 0 to at least this. */
export function ticksTo(highest: number): number[] {
  const step = stepOf(Math.max(1, highest) / 4)
  const count = Math.max(1, Math.ceil(highest / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function stepOf(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  return ([1, 2, 5].find((digit) => digit * power >= least) ?? 10) * power
}
