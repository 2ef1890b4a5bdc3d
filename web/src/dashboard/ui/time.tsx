import type { PointerEvent } from 'react'
import { serviceNow } from '../clock.ts'

const STEPS = [
  { unit: 'year', short: 'y', ms: 365 * 86_400_000 },
  { unit: 'month', short: 'mo', ms: 30 * 86_400_000 },
  { unit: 'day', short: 'd', ms: 86_400_000 },
  { unit: 'hour', short: 'h', ms: 3_600_000 },
  { unit: 'minute', short: 'm', ms: 60_000 },
] as const
const CLOCKS_MS = 5_000
const NOW = { bare: 'now', full: 'just now' } as const
/** Made with their first use, as each takes milliseconds, and once: a list shows many times. */
const formats: { relative?: Intl.RelativeTimeFormat; day?: Intl.DateTimeFormat; full?: Intl.DateTimeFormat } = {}

/** A time, as how long ago it was; `isBare` leaves out the word "ago", in a column of times. The exact one is in the tooltip. */
export function Ago({ at, isBare = false }: { at: string; isBare?: boolean }) {
  return (
    <time dateTime={at} onPointerEnter={addTitle}>
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
  formats.day ??= new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
  return (
    <time dateTime={at} onPointerEnter={addTitle}>
      {formats.day.format(new Date(at))}
    </time>
  )
}

/** Not before it is needed: the first exact time takes a browser tens of milliseconds. */
function addTitle({ currentTarget }: PointerEvent<HTMLTimeElement>): void {
  currentTarget.title = exactTime(currentTarget.dateTime)
}

function exactTime(at: string): string {
  formats.full ??= new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
  return formats.full.format(new Date(at))
}

function agoOf(at: string, isBare: boolean): string {
  const passedMs = serviceNow() - Date.parse(at)
  const step = STEPS.find(({ ms }) => Math.abs(passedMs) >= ms)
  // The clocks of the service and of the reader may differ a little.
  if (!step) return passedMs < -CLOCKS_MS ? 'in under a minute' : NOW[isBare ? 'bare' : 'full']
  const count = Math.trunc(Math.abs(passedMs) / step.ms)
  if (!isBare) {
    formats.relative ??= new Intl.RelativeTimeFormat('en', { style: 'narrow', numeric: 'auto' })
    return formats.relative.format(passedMs < 0 ? count : -count, step.unit)
  }
  const text = `${count}${step.short}`
  return passedMs < 0 ? `in ${text}` : text
}
