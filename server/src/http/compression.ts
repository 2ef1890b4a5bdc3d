import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Compresses a body by gzip. What has a secret beside what strangers wrote must be sent as it is: its size would tell of both (BREACH). */
export const compress = promisify(gzip)

/** Returns the names in an `Accept-Encoding` header, in lower case, without those that it refuses (RFC 9110 §12.5.3). */
export function acceptedEncodings(header: string | string[] | undefined): ReadonlySet<string> {
  const parts = String(header ?? '')
    .toLowerCase()
    .split(',')
  return new Set(parts.filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part)).map((part) => (part.split(';', 1)[0] ?? '').trim()))
}
