import { ApiError } from '@earshot/contracts'
import type { BlobStore } from '@earshot/drivers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parse } from 'range-parser'
import { matchesETag } from '../http/etag.ts'

/** Bit of the parser's code for a range that cannot be read. */
const MALFORMED = 1
const REDIRECT_SECONDS = 300
/** What describes a file, and no other response. */
const FILE_HEADERS = ['accept-ranges', 'content-disposition', 'content-length', 'content-range', 'etag']

/** A file as it is served: a blob, or bytes in memory. */
export type ServedFile = { type: string; disposition: string; etag: string; sizeBytes: number } & ({ key: string } | { bytes: Buffer })

/** Where blobs are read, and whether by the client itself if the store can sign addresses. */
export interface BlobSource {
  blobStore: BlobStore
  redirects: boolean
  /** How long a client may take no byte. Players that pause for longer ask for the rest by a range. */
  stallMs: number
}

/**
 * Sends a file, or the one range of it that is asked for (RFC 9110 §14.2). Several ranges, and ranges that cannot be read, are answered
 * with the whole file, as the RFC allows; one beyond the end is 416. Throws `not_found` for a blob that is gone.
 */
export async function sendServedFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile,
  { blobStore, redirects, stallMs }: BlobSource,
): Promise<FastifyReply> {
  const { etag, sizeBytes } = file
  if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).removeHeader('content-type').send()
  // §14.2: a range counts for GET alone.
  if (request.method === 'HEAD') return sendHead(reply, file, blobStore)
  if (redirects && 'key' in file && blobStore.sign) return sendRedirect(reply, await blobStore.sign(file.key, signingOf(file)))
  const range = rangeOf(request, file)
  if (range === 'unsatisfiable') {
    withoutFileHeaders(reply).header('content-range', `bytes */${sizeBytes}`)
    return reply.code(416).removeHeader('content-type').send()
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes }
  const body = await open(file, { start, end }, blobStore)
  if (range !== null) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${sizeBytes}`)
  // Otherwise clients that read nothing could hold every connection to the store.
  reply.raw.setTimeout(stallMs)
  return reply.header('content-length', end - start).send(body)
}

/** Takes back the headers of a file, for a response that is none. */
export function withoutFileHeaders(reply: FastifyReply): FastifyReply {
  for (const name of FILE_HEADERS) reply.removeHeader(name)
  return reply
}

async function sendHead(reply: FastifyReply, file: ServedFile, blobStore: BlobStore): Promise<FastifyReply> {
  if ('key' in file && (await blobStore.size(file.key)) === null) throw new ApiError('not_found')
  return reply.header('content-length', file.sizeBytes).send()
}

/** Each request asks us again: a redirect that a cache keeps would outlive the consent. */
function sendRedirect(reply: FastifyReply, address: string): FastifyReply {
  withoutFileHeaders(reply).removeHeader('content-type')
  return reply.code(302).header('cache-control', 'no-store').header('location', address).send()
}

function signingOf({ type, disposition }: ServedFile) {
  return { type, disposition, lifeSeconds: REDIRECT_SECONDS }
}

async function open(file: ServedFile, { start, end }: { start: number; end: number }, blobStore: BlobStore) {
  if ('bytes' in file) return file.bytes.subarray(start, end)
  const blob = await blobStore.get(file.key, { start, end })
  if (blob === null) throw new ApiError('not_found')
  return blob.bytes
}

/** Returns the range that is asked for; null for the whole file. A range of another version of the file is none (RFC 9110 §13.1.5). */
function rangeOf({ headers }: FastifyRequest, { etag, sizeBytes }: ServedFile): { start: number; end: number } | null | 'unsatisfiable' {
  const { range } = headers
  const ifRange = headers['if-range']
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return null
  const { code, type, ranges } = parse(sizeBytes, range)
  if (type !== 'bytes' || (code & MALFORMED) !== 0) return null
  const [first, second] = ranges
  if (first === undefined) return 'unsatisfiable'
  return second === undefined ? { start: first.start, end: first.end + 1 } : null
}
