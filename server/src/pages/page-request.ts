import { ApiError } from '@earshot/contracts'
import { type Executor, findUserWithTeams, type UserWithTeams } from '@earshot/db'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorizeCredential } from '../auth/credential.ts'
import { countUnauthenticated } from '../auth/rate-limit.ts'
import type { SignedIn } from '../http/implement.ts'
import { provenanceOf } from '../http/provenance.ts'
import { replyHeadersOf } from '../http/reply-headers.ts'
import type { Services } from '../services.ts'

/** A page is no team's. */
const NO_TARGET = { team: null, project: null, origin: null }

/** What pages work with. */
export interface PageOptions {
  database: Executor
  services: Services
  baseUrl: string
}

/** Whoever looks at a page, signed in by a session. */
export interface PageSession {
  id: string
  user: UserWithTeams
  actor: SignedIn['actor']
  credential: SignedIn['credential']
}

/**
 * Who is signed in, null if nobody is. Links and redirects from elsewhere may lead to a page, so its reader's session
 * counts wherever they come from; what changes anything asks for `requireOwnPage` besides. Throws `rate_limited`.
 */
export async function readPageSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { database, services }: PageOptions,
): Promise<PageSession | null> {
  const { sessions, rateLimitMultiplier: multiplier } = services
  const id = sessions.read(request.headers.cookie)
  if (id === null) return null
  const circumstances = { ip: request.ip, limit: 'authenticated', multiplier, sessions, replyHeaders: replyHeadersOf(reply) } as const
  const answer = await authorizeCredential(database, { kind: 'session', id }, NO_TARGET, circumstances)
  if ('code' in answer) return null
  const { user_id: userId, credential_id: credentialId } = answer
  return {
    id: credentialId,
    user: await findUserWithTeams(database, userId),
    actor: { userId, credentialId, credentialKind: 'session', ip: request.ip },
    credential: { kind: 'session', id: credentialId, scopes: answer.scopes, expiresAt: answer.expires_at },
  }
}

/** Begins a session for somebody who has proven who they are; the one that the browser had ends. */
export async function beginPageSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { options: { database, services }, userId }: { options: PageOptions; userId: string },
): Promise<void> {
  const { ip, headers } = request
  const { sessions } = services
  const userAgent = headers['user-agent'] ?? null
  const { cookie } = await sessions.begin(database, { userId, ip, userAgent, replacedId: sessions.read(headers.cookie) })
  replyHeadersOf(reply).cookie(cookie)
}

/** Counts what somebody who is not signed in tries. Throws `rate_limited`. */
export async function countGuest(request: FastifyRequest, reply: FastifyReply, { database, services }: PageOptions): Promise<void> {
  await countUnauthenticated(database, { ip: request.ip, multiplier: services.rateLimitMultiplier, replyHeaders: replyHeadersOf(reply) })
}

/** What a form changes must come from a page of ours. Throws `csrf_failed`. */
export function requireOwnPage({ headers }: FastifyRequest, { baseUrl }: PageOptions): void {
  if (!provenanceOf(headers, new URL(baseUrl).origin).isOwnPage) throw new ApiError('csrf_failed')
}
