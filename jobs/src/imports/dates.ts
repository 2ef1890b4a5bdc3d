import type { ImportField } from '@earshot/contracts'
import { DateTime } from 'luxon'
import type { Conventions, Reading } from './values.ts'

/**
 * The forms of dates that exports use, beside ISO 8601, SQL and RFC 2822. A closed list: what guesses reads 15/01/2024 as a day
 * in May, or a number as a year. Without a zone they are UTC.
 */
const FORMS = [
  ...['', ' H:mm', ' H:mm:ss', ', H:mm', ', H:mm:ss'].flatMap((time) => [`d.M.yyyy${time}`, `yyyy/M/d${time}`]),
  ...['LLL d, yyyy', 'LLLL d, yyyy', 'd LLL yyyy', 'd LLLL yyyy'].flatMap((date) => [
    date,
    `${date} H:mm`,
    `${date} H:mm:ss`,
    `${date} h:mm a`,
    `${date}, h:mm a`,
    `${date} h:mm:ss a`,
    `${date}, h:mm:ss a`,
  ]),
  'd-LLL-yy',
  'yyyy-M-d H:mm',
  'yyyy-M-d H:mm:ss',
]
const SLASHED_TIMES = ['', ' H:mm', ' H:mm:ss', ' h:mm a', ' h:mm:ss a', ', H:mm', ', H:mm:ss', ', h:mm a', ', h:mm:ss a']
const SLASHED = /^(\d{1,2})[/-](\d{1,2})[/-](?:\d{2}|\d{4})\b/
/** The forms that JavaScript reads by its standard (ECMA-262, Date Time String Format), and as fast as files of a million rows need. */
const STANDARD = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z)?$/
const ISO = /^\d{4}-\d{2}-\d{2}T/
const SQL = /^\d{4}-\d{2}-\d{2}( |$)/
const ZONE = { zone: 'utc', setZone: false, locale: 'en-US' } as const

const DATE_FIELDS: readonly (ImportField | undefined)[] = ['consent.granted_at', 'consent.revoked_at', 'source.collected_at']

type Parse = (text: string) => DateTime

/** Whether a field is a date. */
export function isDateField(field: ImportField | undefined): boolean {
  return DATE_FIELDS.includes(field)
}

/** Returns what reads the dates of a file, with a time or without one, as instants in UTC (RFC 3339). */
export function createDateReader({ dateOrder }: Conventions): (cell: string) => Reading<string> {
  const parsePlain = firstOf([(text) => DateTime.fromRFC2822(text, ZONE), ...FORMS.map(parserOf)])
  const parseSlashed = { dmy: slashedParser('d', 'M'), mdy: slashedParser('M', 'd') }
  return (cell) => {
    const standard = STANDARD.test(cell) ? standardDate(cell) : null
    if (standard !== null) return { value: standard }
    const text = cell.replace(/\s+/gu, ' ')
    const slashed = SLASHED.exec(text)
    const order = slashed && (dateOrder ?? orderOf(slashed))
    if (slashed && !order) {
      return { error: 'ambiguous_date', detail: 'could be day/month or month/day: say with `date_order` which one it is' }
    }
    const date = order ? parseSlashed[order](text.replaceAll('-', '/')) : parseMarked(text, parsePlain)
    const iso = date?.isValid && date.year >= 1 && date.year <= 9999 ? date.toUTC().toISO() : null
    return iso === null ? { error: 'invalid_format', detail: 'must be a date such as 2026-11-20 or 2026-11-20T09:30:00Z' } : { value: iso }
  }
}

/** Null for what other forms may allow, and for a day that the month does not have, which JavaScript counts on into the next one. */
function standardDate(text: string): string | null {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) return null
  const iso = date.toISOString()
  return iso.slice(0, 10) === text.slice(0, 10) && !iso.startsWith('0000') ? iso : null
}

/** Returns the order that a date with slashes shows by itself, because its day is no month. */
export function dateOrderOf(cell: string): 'dmy' | 'mdy' | null {
  const slashed = SLASHED.exec(cell)
  return slashed && orderOf(slashed)
}

function orderOf([, first, second]: RegExpExecArray): 'dmy' | 'mdy' | null {
  if (Number(first) > 12) return 'dmy'
  return Number(second) > 12 ? 'mdy' : null
}

/** ISO 8601 also has years, weeks and times of today, which are no dates here. */
function parseMarked(text: string, parsePlain: (text: string) => DateTime | null): DateTime | null {
  if (ISO.test(text)) return DateTime.fromISO(text, ZONE)
  const sql = SQL.test(text) ? DateTime.fromSQL(text, ZONE) : null
  return sql?.isValid ? sql : parsePlain(text)
}

function slashedParser(first: string, second: string): (text: string) => DateTime | null {
  return firstOf(SLASHED_TIMES.map((time) => parserOf(`${first}/${second}/yy${time}`)))
}

function parserOf(form: string): Parse {
  const parser = DateTime.buildFormatParser(form, ZONE)
  return (text) => DateTime.fromFormatParser(text, parser, ZONE)
}

/** Tries each form until one fits, first the one that fitted last: a file keeps to one. No text fits two of them differently. */
function firstOf(forms: readonly Parse[]): (text: string) => DateTime | null {
  const order = [...forms]
  return (text) => {
    for (const [index, parse] of order.entries()) {
      const date = parse(text)
      if (!date.isValid) continue
      if (index > 0) order.unshift(...order.splice(index, 1))
      return date
    }
    return null
  }
}
