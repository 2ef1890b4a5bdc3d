import type { FastifyReply } from 'fastify'
import { limitHeaders, type Standing } from './limit-headers.ts'

/** What judging a request adds to its answer, whatever its outcome. */
export interface Outlet {
  /** Where the caller stands in the limit of the request. */
  standing: (standing: Standing) => void
  /** A session's cookie, to be set or taken away: the text of a Set-Cookie header. */
  cookie: (cookie: string) => void
}

/** Batched tRPC calls share one reply: once it is on its way, the later ones keep quiet. */
export function outletOf(reply: FastifyReply): Outlet {
  return {
    standing: (standing) => {
      if (!reply.sent) reply.headers(limitHeaders(standing))
    },
    cookie: (cookie) => {
      if (!reply.sent) reply.header('set-cookie', cookie)
    },
  }
}
