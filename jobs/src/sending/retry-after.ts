const DELTA_SECONDS = /^\d{1,10}$/
const HTTP_DATE = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? .*\d{2}:\d{2}:\d{2}(?: GMT| \d{4})$/

/**
 * Returns the seconds to wait by a response's Retry-After (RFC 9110 §10.2.3: delta seconds or an HTTP date), or null without a
 * valid one. A date is compared with the response's own Date, so that only the receiver's clock counts.
 */
export function readRetryAfterSeconds(headers: Record<string, string> | null, now: Date = new Date()): number | null {
  const value = headers?.['retry-after']?.trim()
  if (value === undefined) return null
  if (DELTA_SECONDS.test(value)) return Number(value)
  const retryAt = parseHttpDate(value)
  if (retryAt === null) return null
  const respondedAt = parseHttpDate(headers?.date?.trim() ?? '') ?? now.getTime()
  return Math.max(0, Math.ceil((retryAt - respondedAt) / 1000))
}

/** Reads all three date forms of RFC 9110 §5.6.7. The asctime form has no zone and means UTC. */
function parseHttpDate(value: string): number | null {
  if (!HTTP_DATE.test(value)) return null
  const time = Date.parse(value.endsWith(' GMT') ? value : `${value} GMT`)
  return Number.isNaN(time) ? null : time
}
