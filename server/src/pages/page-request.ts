import { ApiError } from '@earshot/contracts'
import { findUserWithTeams, type Tx, type UserWithTeams } from '@earshot/db'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../auth/callers.ts'
import { authorizeCredential } from '../auth/credential.ts'
import type { DeviceCookie } from '../auth/device-cookie.ts'
import { provenanceOf } from '../auth/provenance.ts'
import { countUnauthenticated } from '../auth/rate-limit.ts'
import { replyHeadersOf } from '../auth/reply-headers.ts'
import type { ProvenPassword } from '../auth/sign-in.ts'
import type { Services } from '../services.ts'

/** Pages belong to no team. */
const NO_TARGET = { team: null, project: null, origin: null }

/** The dependencies of the pages. */
export interface PageOptions {
  database: Tx
  services: Services
  baseUrl: string
}

/** The session of the person who reads a page. */
export interface PageSession {
  id: string
  user: UserWithTeams
  actor: SignedIn['actor']
  credential: SignedIn['credential']
}

/**
 * Returns the session of the request, or null when nobody is signed in. Links and redirects from other sites may lead to a
 * page, so a read accepts a session from anywhere; a change must call `requireOwnPage` too. Throws `rate_limited`.
 */
export async function readPageSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { database, services }: PageOptions,
): Promise<PageSession | null> {
  const { sessions, rateLimitMultiplier: multiplier } = services
  const id = sessions.read(request.headers.cookie)
  if (id === null) return null
  const context = { ip: request.ip, limit: 'authenticated', multiplier, sessions, replyHeaders: replyHeadersOf(reply) } as const
  const access = await authorizeCredential(database, { kind: 'session', id }, NO_TARGET, context)
  if ('code' in access) return null
  const { user_id: userId, credential_id: credentialId } = access
  return {
    id: credentialId,
    user: await findUserWithTeams(database, userId),
    actor: { userId, credentialId, credentialKind: 'session', ip: request.ip },
    credential: { kind: 'session', id: credentialId, scopes: access.scopes, expiresAt: access.expires_at },
  }
}

/** Returns the device cookie of the person's browser. */
export function deviceOf({ headers }: FastifyRequest, reply: FastifyReply, { services }: PageOptions): DeviceCookie {
  return services.deviceOf({ cookies: headers.cookie, setCookie: replyHeadersOf(reply).cookie })
}

/** Begins a session for a person who has signed in. The previous session of the browser ends. */
export async function beginPageSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, proven }: { options: PageOptions; proven: Pick<ProvenPassword, 'userId' | 'email' | 'passwordHash'> },
): Promise<void> {
  const { ip, headers } = request
  const { userId } = proven
  const { database, services } = options
  const { sessions } = services
  const userAgent = headers['user-agent'] ?? null
  const { cookie } = await sessions.begin(database, { userId, ip, userAgent, replacedId: sessions.read(headers.cookie) })
  replyHeadersOf(reply).cookie(cookie)
  deviceOf(request, reply, options).issue(proven)
}

/** Counts a request of a person who is not signed in. Throws `rate_limited`. */
export async function countGuest(request: FastifyRequest, reply: FastifyReply, { database, services }: PageOptions): Promise<void> {
  await countUnauthenticated(database, { ip: request.ip, multiplier: services.rateLimitMultiplier, replyHeaders: replyHeadersOf(reply) })
}

/** Requires that a form was sent from one of our own pages. Throws `csrf_failed`. */
export function requireOwnPage(request: FastifyRequest, { baseUrl }: PageOptions): void {
  if (!provenanceOf(request, new URL(baseUrl).origin).isOwnPage) throw new ApiError('csrf_failed')
}
