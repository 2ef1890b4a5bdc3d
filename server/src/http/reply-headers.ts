import type { FastifyReply } from 'fastify'
import { limitHeaders, type RateLimitStatus } from './limit-headers.ts'

/** What judging a request adds to its answer, whatever its outcome. */
export interface ReplyHeaders {
  /** Where the caller stands in the limit of the request. */
  rateLimit: (rateLimit: RateLimitStatus) => void
  /** A session's cookie, to be set or taken away: the text of a Set-Cookie header. */
  cookie: (cookie: string) => void
}

/** Batched tRPC calls share one reply: once it is on its way, the later ones keep quiet. */
export function replyHeadersOf(reply: FastifyReply): ReplyHeaders {
  return {
    rateLimit: (rateLimit) => {
      if (!reply.sent) reply.headers(limitHeaders(rateLimit))
    },
    cookie: (cookie) => {
      if (!reply.sent) reply.header('set-cookie', cookie)
    },
  }
}
