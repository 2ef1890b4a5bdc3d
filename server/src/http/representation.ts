import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncodings, compress } from './compression.ts'
import { etagOf, matchesETag } from './etag.ts'

/** Bytes that do not change while the process runs, with their type and tag. */
export interface Representation {
  body: string | Buffer
  contentType: string
  etag: string
}

export function represent(contentType: string, body: string | Buffer): Representation {
  return { body, contentType, etag: etagOf(body) }
}

/** Sends a representation, or 304 to clients that have it. Caches must revalidate, so that an upgrade shows at once. */
export function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, contentType, etag }: Representation,
): FastifyReply {
  reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
  if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(contentType).send(body)
}

/** As `sendRepresentation`, compressed for clients that take it. The tag is weak: it is that of both forms (RFC 9110 §8.8.3.3). */
export async function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, contentType, etag }: Representation,
): Promise<FastifyReply> {
  const vary = [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', ')
  reply.headers({ etag: `W/${etag}`, vary, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
  if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  reply.type(contentType)
  if (!acceptedEncodings(request.headers['accept-encoding']).has('gzip')) return reply.send(body)
  return reply.header('content-encoding', 'gzip').send(await compress(body))
}
