const DELTA_SECONDS = /^\d{1,10}$/
const HTTP_DATE = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? .*\d{2}:\d{2}:\d{2}(?: GMT| \d{4})$/

/**
 * Seconds that an answer's Retry-After asks to wait (RFC 9110 §10.2.3: delta seconds or an HTTP date); null without a
 * readable one. A date is read against the answer's own Date, so that no clock but the receiver's counts.
 */
export function readRetryAfterSeconds(headers: Record<string, string> | null, now: Date = new Date()): number | null {
  const value = headers?.['retry-after']?.trim()
  if (value === undefined) return null
  if (DELTA_SECONDS.test(value)) return Number(value)
  const retryAt = parseHttpDate(value)
  if (retryAt === null) return null
  const answeredAt = parseHttpDate(headers?.date?.trim() ?? '') ?? now.getTime()
  return Math.max(0, Math.ceil((retryAt - answeredAt) / 1000))
}

/** All three forms of RFC 9110 §5.6.7; asctime's says no zone and means UTC. */
function parseHttpDate(value: string): number | null {
  if (!HTTP_DATE.test(value)) return null
  const time = Date.parse(value.endsWith(' GMT') ? value : `${value} GMT`)
  return Number.isNaN(time) ? null : time
}
