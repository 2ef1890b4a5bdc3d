import { serviceNow } from '../clock.ts'

const STEPS = [
  { unit: 'year', ms: 365 * 86_400_000 },
  { unit: 'month', ms: 30 * 86_400_000 },
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const
const CLOCKS_MS = 5_000
const NOW = { bare: 'now', full: 'just now' } as const
const relative = new Intl.RelativeTimeFormat('en', { style: 'narrow', numeric: 'auto' })
const dayOnly = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
/** Made once each: a list shows many times. */
const formats = new Map<string, Intl.NumberFormat>()
const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** A time, as how long ago it was; `isBare` leaves out the word "ago", in a column of times. The exact one is in the tooltip. */
export function Ago({ at, isBare = false }: { at: string; isBare?: boolean }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {agoOf(at, isBare)}
    </time>
  )
}

/** A time as a date and an hour of the reader. */
export function At({ at }: { at: string }) {
  return <time dateTime={at}>{exactTime(at)}</time>
}

/** A time as its day. The exact one is in the tooltip. */
export function Day({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {dayOnly.format(new Date(at))}
    </time>
  )
}

function exactTime(at: string): string {
  return full.format(new Date(at))
}

function agoOf(at: string, isBare: boolean): string {
  const passedMs = serviceNow() - Date.parse(at)
  const step = STEPS.find(({ ms }) => Math.abs(passedMs) >= ms)
  // The clocks of the service and of the reader may differ a little.
  if (!step) return passedMs < -CLOCKS_MS ? 'in under a minute' : NOW[isBare ? 'bare' : 'full']
  const count = Math.trunc(Math.abs(passedMs) / step.ms)
  if (!isBare) return relative.format(passedMs < 0 ? count : -count, step.unit)
  const text = formatOf(step.unit).format(count)
  return passedMs < 0 ? `in ${text}` : text
}

function formatOf(unit: string): Intl.NumberFormat {
  const format = formats.get(unit) ?? new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'narrow' })
  formats.set(unit, format)
  return format
}
