/** Returns the names in an `Accept-Encoding` header, in lower case, without those that it refuses (RFC 9110 §12.5.3). */
export function acceptedEncodings(header: string | string[] | undefined): ReadonlySet<string> {
  const parts = String(header ?? '')
    .toLowerCase()
    .split(',')
  return new Set(parts.filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part)).map((part) => (part.split(';', 1)[0] ?? '').trim()))
}
