import { findOwnSignIn } from '@earshot/db'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { InAccount } from '../auth/callers.ts'
import { replyHeadersOf } from '../auth/reply-headers.ts'
import { deviceOf, type PageOptions, type PageSession, readPageSession, requireOwnPage } from './page-request.ts'
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

/** Returns what operations that reauthenticate need. */
export async function ownAccount(
  { request, reply, session: { actor } }: OwnPage,
  options: PageOptions,
): Promise<Pick<InAccount, 'tx' | 'actor' | 'account' | 'services' | 'device' | 'setCookie'>> {
  const { database, services } = options
  const account = await findOwnSignIn(database, actor.userId)
  return { tx: database, actor, account, services, device: deviceOf(request, reply, options), setCookie: replyHeadersOf(reply).cookie }
}
