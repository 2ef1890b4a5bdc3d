import { ApiError } from '@earshot/contracts'
import type { BlobStore } from '@earshot/drivers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parse } from 'range-parser'
import { matchesETag } from '../http/etag.ts'

/** Bit of the parser's code for a range that cannot be read. */
const MALFORMED = 1

/** A file as it is served: a blob, or bytes in memory. */
export type Representation = { type: string; name: string; etag: string; sizeBytes: number } & ({ key: string } | { bytes: Buffer })

/**
 * Sends a file, or the one range of it that is asked for (RFC 9110 §14.2). Several ranges, and ranges that cannot be read, are answered
 * with the whole file, as the RFC allows; one beyond the end is 416.
 */
export async function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  file: Representation,
  blobStore: BlobStore,
): Promise<FastifyReply> {
  const { etag, sizeBytes } = file
  if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).removeHeader('content-type').send()
  if (request.method === 'HEAD') return reply.header('content-length', sizeBytes).send()
  const range = rangeOf(request, file)
  if (range === 'unsatisfiable') {
    reply.removeHeader('content-disposition')
    return reply.code(416).header('content-range', `bytes */${sizeBytes}`).removeHeader('content-type').send()
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes }
  const body = await open(file, { start, end }, blobStore)
  if (range !== null) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${sizeBytes}`)
  return reply.header('content-length', end - start).send(body)
}

async function open(file: Representation, { start, end }: { start: number; end: number }, blobStore: BlobStore) {
  if ('bytes' in file) return file.bytes.subarray(start, end)
  const blob = await blobStore.get(file.key, { start, end })
  if (blob === null) throw new ApiError('not_found')
  return blob.bytes
}

/** Returns the range that is asked for; null for the whole file. A range of another version of the file is none (RFC 9110 §13.1.5). */
function rangeOf(
  { headers }: FastifyRequest,
  { etag, sizeBytes }: Representation,
): { start: number; end: number } | null | 'unsatisfiable' {
  const { range } = headers
  const ifRange = headers['if-range']
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return null
  const { code, type, ranges } = parse(sizeBytes, range)
  if (type !== 'bytes' || (code & MALFORMED) !== 0) return null
  const [first, second] = ranges
  if (first === undefined) return 'unsatisfiable'
  return second === undefined ? { start: first.start, end: first.end + 1 } : null
}
