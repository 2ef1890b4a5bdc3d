import { ApiError, durations } from '@earshot/contracts'

const HOUR_MS = 3_600_000
/** Attempts are kept, and can be compared with the figures, for this long. */
const MAX_AGE_MS = durations.attemptDays * 24 * HOUR_MS
const TOO_EARLY = `the range must be within the last ${durations.attemptDays} days`

/**
 * Returns the full hours of a range: its start rounded down and its end rounded up, to the end of the present hour at the latest.
 * Throws `validation_error` for a range that begins too early, or ends before it begins.
 */
export function hoursOf({ from, to }: { from?: string | undefined; to?: string | undefined }): { from: string; to: string } {
  const nowMs = Date.now()
  const endOfHourMs = hourOf(nowMs) + HOUR_MS
  const toMs = Math.min(to === undefined ? endOfHourMs : hourOf(Date.parse(to) + HOUR_MS - 1), endOfHourMs)
  const fromMs = from === undefined ? toMs - durations.endpointStatsHours * HOUR_MS : Date.parse(from)
  if (fromMs < nowMs - MAX_AGE_MS) throw wrong(from === undefined ? 'to' : 'from', 'too_early', TOO_EARLY)
  if (fromMs >= endOfHourMs) throw wrong('from', 'too_late', 'must not be after the present hour')
  if (fromMs >= (to === undefined ? toMs : Date.parse(to))) throw wrong('to', 'not_after_from', 'must be after from')
  return { from: new Date(hourOf(fromMs)).toISOString(), to: new Date(toMs).toISOString() }
}

/** Returns the starts of these hours. */
export function startsOf({ from, to }: { from: string; to: string }): string[] {
  const count = (Date.parse(to) - Date.parse(from)) / HOUR_MS
  return Array.from({ length: count }, (_, index) => new Date(Date.parse(from) + index * HOUR_MS).toISOString())
}

function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS
}

function wrong(field: string, code: string, detail: string): ApiError {
  return new ApiError('validation_error', { errors: [{ field, code, detail }] })
}
