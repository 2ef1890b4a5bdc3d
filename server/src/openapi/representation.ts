import type { FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, matchesETag } from '../http/etag.ts'

/** Bytes that stay the same while the process lives, with their type and tag. */
export interface Representation {
  body: string | Buffer
  contentType: string
  etag: string
}

export function represent(contentType: string, body: string | Buffer): Representation {
  return { body, contentType, etag: etagOf(body) }
}

/** Sends it, or 304 to who has it. Caches must ask each time, so that an upgrade shows at once. */
export function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, contentType, etag }: Representation,
): FastifyReply {
  reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
  if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(contentType).send(body)
}
