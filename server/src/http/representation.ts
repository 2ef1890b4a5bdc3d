import type { FastifyReply, FastifyRequest } from 'fastify'
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
