import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { InAccount } from '../auth/callers.ts'
import { replyHeadersOf } from '../auth/reply-headers.ts'
import { readOwnAccount } from '../auth/sign-in.ts'
import { type PageOptions, type PageSession, readPageSession, requireOwnPage } from './page-request.ts'
import { HOME_PATH } from './paths.ts'
import { redirectToSignIn } from './sign-in.ts'

/** A request for a page of a person who is signed in, or a form sent from one. */
export interface OwnPage {
  request: FastifyRequest
  reply: FastifyReply
  session: PageSession
}

/** Handles a page that requires a session: redirects to the sign-in page without one, and refuses forms from other sites. */
export function ownPage(options: PageOptions, handler: (page: OwnPage) => Promise<FastifyReply>): RouteHandlerMethod {
  return async (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead) requireOwnPage(request, options)
    const session = await readPageSession(request, reply, options)
    if (!session) return redirectToSignIn(reply, isRead ? request.url : HOME_PATH)
    return handler({ request, reply, session })
  }
}

/** Returns what operations that reauthenticate need. Counts an attempt; throws `rate_limited`. */
export async function ownAccount(
  { request, reply, session }: OwnPage,
  { database, services }: PageOptions,
): Promise<Pick<InAccount, 'tx' | 'actor' | 'account' | 'services' | 'setCookie'>> {
  const { actor } = session
  const { ip } = request
  const account = await readOwnAccount(database, { userId: actor.userId, ip, multiplier: services.rateLimitMultiplier })
  return { tx: database, actor, account, services, setCookie: replyHeadersOf(reply).cookie }
}
