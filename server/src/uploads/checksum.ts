import { createHash, type Hash } from 'node:crypto'
import { ApiError } from '@earshot/contracts'

const ALGORITHMS = ['sha1', 'sha256'] as const
/** What `Tus-Checksum-Algorithm` announces. */
export const CHECKSUM_ALGORITHMS = ALGORITHMS.join(',')
const SYNTAX = /^(\S+) ([A-Za-z0-9+/]+={0,2})$/

/** The checksum that a client announces for the body of a request. */
export interface Checksum {
  hash: Hash
  expected: Buffer
}

/** Reads `Upload-Checksum` (tus 1.0, checksum). Returns null without one; throws `validation_error` for one that is not understood. */
export function readChecksum(header: string | string[] | undefined): Checksum | null {
  if (header === undefined) return null
  const [, name, digest = ''] = SYNTAX.exec(String(header)) ?? []
  const algorithm = ALGORITHMS.find((known) => known === name)
  if (!algorithm) throw invalid(`must be one of ${ALGORITHMS.join(', ')}, a space, and the digest in Base64`)
  const hash = createHash(algorithm)
  const expected = Buffer.from(digest, 'base64')
  if (expected.length !== hash.copy().digest().length) throw invalid(`must have a digest of the size of ${algorithm}`)
  return { hash, expected }
}

/** Throws `checksum_mismatch` unless the bytes that were hashed are those that were announced. */
export function requireMatch({ hash, expected }: Checksum): void {
  if (!hash.digest().equals(expected)) throw new ApiError('checksum_mismatch')
}

function invalid(detail: string): ApiError {
  return new ApiError('validation_error', { errors: [{ field: 'Upload-Checksum', code: 'invalid_format', detail }] })
}
