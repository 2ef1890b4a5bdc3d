import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { readOwnAccount } from '../auth/sign-in.ts'
import type { InAccount } from '../http/implement.ts'
import { replyHeadersOf } from '../http/reply-headers.ts'
import { type PageOptions, type PageSession, readPageSession, requireOwnPage } from './page-request.ts'
import { HOME_PATH } from './paths.ts'
import { redirectToSignIn } from './sign-in.ts'

/** A page that somebody who is signed in looks at, or a form of it that they sent. */
export interface OwnPage {
  request: FastifyRequest
  reply: FastifyReply
  session: PageSession
}

/** Whoever is not signed in does so first, and comes back. What is sent must come from a page of ours. */
export function ownPage(options: PageOptions, handler: (page: OwnPage) => Promise<FastifyReply>): RouteHandlerMethod {
  return async (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead) requireOwnPage(request, options)
    const session = await readPageSession(request, reply, options)
    if (!session) return redirectToSignIn(reply, isRead ? request.url : HOME_PATH)
    return handler({ request, reply, session })
  }
}

/** What the locks of the own account ask for. Counts a try; throws `rate_limited`. */
export async function ownAccount(
  { request, reply, session }: OwnPage,
  { database, services }: PageOptions,
): Promise<Pick<InAccount, 'tx' | 'actor' | 'account' | 'services' | 'setCookie'>> {
  const { actor } = session
  const { ip } = request
  const account = await readOwnAccount(database, { userId: actor.userId, ip, multiplier: services.rateLimitMultiplier })
  return { tx: database, actor, account, services, setCookie: replyHeadersOf(reply).cookie }
}
