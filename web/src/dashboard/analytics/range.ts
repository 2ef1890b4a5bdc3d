import { defined } from '../address.ts'
import { serviceNow } from '../clock.ts'
import { dayIn } from '../ui/day-in.ts'

const PRESETS = ['7d', '30d', '90d', '365d'] as const
const DAY = /^\d{4}-\d{2}-\d{2}$/
const DAY_MS = 86_400_000
const DEFAULT = '30d'

export type Preset = (typeof PRESETS)[number]
/** How long a period of the course is, so that a chart has at most some dozens of points. */
type Interval = 'day' | 'week' | 'month'

/** Which days the page is about, as it stands in the address: some last days, or two dates. */
export interface Range {
  range?: Preset | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Reads the address. */
export function readRange(search: Record<string, unknown>): Range {
  const [from, to] = [dayOf(search.from), dayOf(search.to)]
  if (from !== undefined && to !== undefined) return { from, to }
  return defined({ range: PRESETS.find((preset) => preset === search.range && preset !== DEFAULT) })
}

export function presetOf({ range, from }: Range): Preset | 'custom' {
  return from === undefined ? (range ?? DEFAULT) : 'custom'
}

/** Returns the first and the last day. Days begin in the time zone of the team. */
export function daysOf({ range = DEFAULT, from, to }: Range, timezone: string): { from: string; to: string } {
  if (from !== undefined && to !== undefined) return { from, to }
  const today = dayIn(timezone, serviceNow())
  return { from: dayBefore(today, Number.parseInt(range, 10) - 1), to: today }
}

export function intervalOf({ from, to }: { from: string; to: string }): Interval {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days <= 31) return 'day'
  return days <= 190 ? 'week' : 'month'
}

function dayBefore(day: string, count: number): string {
  return new Date(Date.parse(day) - count * DAY_MS).toISOString().slice(0, 10)
}

function dayOf(value: unknown): string | undefined {
  return typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined
}
