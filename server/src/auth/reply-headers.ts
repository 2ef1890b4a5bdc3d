import type { FastifyReply } from 'fastify'
import { limitHeaders, type RateLimitStatus } from './limit-headers.ts'

/** The response headers that authorizing a request sets, whether or not it succeeds. */
export interface ReplyHeaders {
  /** Sets the headers of the rate limit that counted the request. */
  rateLimit: (rateLimit: RateLimitStatus) => void
  /** Sets or clears the session's cookie. Takes the value of a Set-Cookie header. */
  cookie: (cookie: string) => void
}

/** Batched tRPC calls share one reply: calls that finish after it was sent set no headers. */
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
