import { ApiError } from '@earshot/contracts'
import { type Executor, findUserWithTeams, readAccess, type UserWithTeams } from '@earshot/db'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { approachOf } from '../approach.ts'
import { judgeCredential } from '../credential.ts'
import type { SignedIn } from '../implement.ts'
import { outletOf } from '../outlet.ts'
import { countUnauthenticated, requireRoom, scaled, unauthenticated } from '../rate-limit.ts'
import type { Services } from '../services.ts'

/** What pages work with. */
export interface PageOptions {
  database: Executor
  services: Services
  baseUrl: string
}

/** Whoever looks at a page, signed in by a session. */
export interface SignedInVisitor {
  user: UserWithTeams
  sessionId: string
  actor: SignedIn['actor']
  credential: SignedIn['credential']
}

/**
 * Who is signed in, null if nobody is. Links and redirects from elsewhere may lead to a page, so its reader's session
 * counts wherever they come from; what changes anything asks for `requireOwnPage` besides. Throws `rate_limited`.
 */
export async function readVisitor(
  request: FastifyRequest,
  reply: FastifyReply,
  { database, services }: PageOptions,
): Promise<SignedInVisitor | null> {
  const { sessions, rateLimitMultiplier } = services
  const id = sessions.read(request.headers.cookie)
  if (id === null) return null
  const limit = scaled('authenticated', rateLimitMultiplier)
  const unknown = unauthenticated(request.ip, rateLimitMultiplier)
  const question = { team: null, project: null, origin: null, limit, unknownSubject: unknown.subject, unknownLimit: unknown.limit }
  const ask = (hash: Buffer) => readAccess(database, { ...question, hash })
  const { answer, cookie, code } = await judgeCredential(database, { kind: 'session', id }, { sessions, ask })
  const outlet = outletOf(reply)
  if (code !== null || answer.credential_id === null) {
    requireRoom('unauthenticated', unknown.limit, answer, outlet)
    outlet.cookie(sessions.blankCookie)
    return null
  }
  if (cookie !== null) outlet.cookie(cookie)
  requireRoom('authenticated', limit, answer, outlet)
  const { user_id: userId, credential_id: credentialId } = answer
  return {
    user: await findUserWithTeams(database, userId),
    sessionId: credentialId,
    actor: { userId, credentialId, credentialKind: 'session', ip: request.ip },
    credential: { kind: 'session', id: credentialId, scopes: answer.scopes, expiresAt: answer.expires_at },
  }
}

/** Begins a session for somebody who has proven who they are; the one that the browser had ends. */
export async function beginVisit(
  request: FastifyRequest,
  reply: FastifyReply,
  { options: { database, services, baseUrl }, userId }: { options: PageOptions; userId: string },
): Promise<void> {
  const { ip, userAgent, cookies } = approachOf(request, baseUrl)
  const { sessions } = services
  const { cookie } = await sessions.begin(database, { userId, ip, userAgent, replacedId: sessions.read(cookies) })
  outletOf(reply).cookie(cookie)
}

/** Counts what somebody who is not signed in tries. Throws `rate_limited`. */
export async function countGuest(request: FastifyRequest, reply: FastifyReply, { database, services }: PageOptions): Promise<void> {
  await countUnauthenticated(database, { ip: request.ip, multiplier: services.rateLimitMultiplier, outlet: outletOf(reply) })
}

/** What a form changes must come from a page of ours. Throws `csrf_failed`. */
export function requireOwnPage(request: FastifyRequest, { baseUrl }: PageOptions): void {
  if (!approachOf(request, baseUrl).provenance.isOwnPage) throw new ApiError('csrf_failed')
}
