/**
 * Returns an instant as the API writes it (RFC 3339, UTC, milliseconds) from PostgreSQL's text: `2026-11-21
 * 09:14:00.123456+00`, zeros at the end trimmed, on a connection whose time zone is UTC.
 */
export function toTimestamp(text: string): string
export function toTimestamp(text: string | null): string | null
export function toTimestamp(text: string | null): string | null {
  if (text === null) return null
  const fraction = text.length > 22 ? text.slice(20, -3) : ''
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}

/** Writes an instant in UTC: PostgreSQL refuses offsets of RFC 3339 beyond 15:59. Null and undefined stay. */
export function inUtc(instant: string): string
export function inUtc<Absent extends null | undefined>(instant: string | Absent): string | Absent
export function inUtc(instant: string | null | undefined): string | null | undefined {
  // Millions of imported dates have this form already: 2026-11-20T09:30:00.000Z.
  const isDone = instant?.length === 24 && instant.endsWith('Z')
  return instant && !isDone ? new Date(instant).toISOString() : instant
}
