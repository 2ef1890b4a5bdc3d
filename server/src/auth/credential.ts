import type { CredentialKind, ErrorCode, LimitName } from '@earshot/contracts'
import { type AccessQuery, type AccessRow, readAccess, type Tx } from '@earshot/db'
import type { ReplyHeaders } from '../http/reply-headers.ts'
import type { RequestFacts } from '../http/request-facts.ts'
import type { AccessJwts } from './access-jwts.ts'
import { requireWithinLimit, scaled, unauthenticated } from './rate-limit.ts'
import type { Sessions } from './session-engine.ts'
import { hashToken, isWellFormedToken, type TokenPrefix } from './token-values.ts'

/** What a request shows to say who calls; the database judges it. */
type Credential =
  | { kind: 'pat' | 'oauth2'; hash: Buffer }
  /** Its signature is right; the hash is that of its log-in's secret, and it ends before that does. */
  | { kind: 'jwt'; hash: Buffer; expiresAt: string }
  | { kind: 'session'; id: string }
  /** It is none of ours, or its time is over: no need to ask the database. */
  | { kind: null; code: 'invalid_token' | 'token_expired' }

const PREFIXES: Partial<Record<TokenPrefix, 'pat' | 'oauth2'>> = { svc_: 'pat', sva_: 'oauth2' }
/** JWS compact serialization (RFC 7515 §7.1). */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** The credential of a request, null when it shows none. A bearer token goes before a cookie. */
export async function readCredential(
  { authorization, cookies, provenance }: RequestFacts,
  { sessions, accessJwts }: { sessions: Sessions; accessJwts: AccessJwts },
): Promise<Credential | null> {
  const token = bearerToken(authorization)
  if (token !== null) return JWT.test(token) ? fromJwt(token, accessJwts) : fromBearer(token)
  // A session counts for our own pages alone, reads included; a change asks for more proof when it is judged.
  const id = provenance.isForeignPage ? null : sessions.read(cookies)
  return id === null ? null : { kind: 'session', id }
}

/** What the database says of somebody whom it knows. */
export type KnownAnswer = AccessRow & { credential_id: string }

/** Who asks, and where the counters and the session's cookie go. */
export interface Circumstances {
  ip: string
  limit: LimitName
  multiplier: number
  sessions: Sessions
  replyHeaders: ReplyHeaders
  /** The request was counted when it began, and goes on. */
  isCounted?: boolean
}

/**
 * Asks for a credential and for what of a place it may see, counts the request, and has the cookie of a session set or taken
 * away: one round trip. The answer is the database's, but never for another kind than was shown; else the code says why.
 * Throws `rate_limited`.
 */
export async function authorizeCredential(
  tx: Tx,
  credential: Exclude<Credential, { kind: null }>,
  place: Pick<AccessQuery, 'team' | 'project' | 'origin'>,
  { ip, limit: name, multiplier, sessions, replyHeaders, isCounted = false }: Circumstances,
): Promise<KnownAnswer | { code: ErrorCode }> {
  const limit = isCounted ? null : scaled(name, multiplier)
  const unknown = unauthenticated(ip, multiplier)
  const ask = (hash: Buffer) => readAccess(tx, { ...place, hash, limit, unknownSubject: unknown.subject, unknownLimit: unknown.limit })
  const { answer, cookie } = await answerFor(tx, credential, { sessions, ask })
  if (!isKnown(answer, credential.kind)) {
    if (limit) requireWithinLimit('unauthenticated', unknown.limit, answer, replyHeaders)
    if (credential.kind === 'session') replyHeaders.cookie(sessions.blankCookie)
    return { code: answer.expired ? 'token_expired' : 'invalid_token' }
  }
  if (cookie !== null) replyHeaders.cookie(cookie)
  if (limit) requireWithinLimit(name, limit, answer, replyHeaders)
  return answer
}

async function answerFor(
  tx: Tx,
  credential: Exclude<Credential, { kind: null }>,
  { sessions, ask }: { sessions: Sessions; ask: (hash: Buffer) => Promise<AccessRow> },
): Promise<{ answer: AccessRow; cookie: string | null }> {
  if (credential.kind === 'session') return sessions.authorize(tx, credential.id, ask)
  const answer = await ask(credential.hash)
  return { answer: credential.kind === 'jwt' ? { ...answer, expires_at: credential.expiresAt } : answer, cookie: null }
}

function isKnown(answer: AccessRow, shown: CredentialKind): answer is KnownAnswer {
  return !answer.expired && answer.credential_id !== null && answer.credential_kind === shown
}

async function fromJwt(token: string, accessJwts: AccessJwts): Promise<Credential> {
  const claims = await accessJwts.read(token)
  if ('code' in claims) return { kind: null, code: claims.code }
  return { kind: 'jwt', hash: hashToken(claims.secret), expiresAt: claims.expiresAt }
}

function fromBearer(token: string): Credential {
  const prefix = token.slice(0, 4) as TokenPrefix
  const kind = PREFIXES[prefix]
  if (kind && isWellFormedToken(token, prefix)) return { kind, hash: hashToken(token) }
  return { kind: null, code: 'invalid_token' }
}

/** The value of `Authorization: Bearer`, null when there is none (RFC 6750 §2.1; the scheme's case does not matter). */
function bearerToken(authorization: string | undefined): string | null {
  return authorization?.match(/^bearer +(\S+) *$/i)?.[1] ?? null
}
