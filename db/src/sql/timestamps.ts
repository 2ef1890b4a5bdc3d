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
