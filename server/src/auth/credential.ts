import type { CredentialKind, ErrorCode, LimitName } from '@earshot/contracts'
import { type AccessQuery, type AccessRow, readAccess, type Tx } from '@earshot/db'
import type { AccessJwts } from './access-jwts.ts'
import { requireWithinLimit, scaled, unauthenticated } from './rate-limit.ts'
import type { ReplyHeaders } from './reply-headers.ts'
import type { RequestFacts } from './request-facts.ts'
import type { Sessions } from './session-engine.ts'
import { hashToken, isWellFormedToken, type TokenPrefix } from './token-values.ts'

/** The credential of a request, to be checked by the database. */
type Credential =
  | { kind: 'pat' | 'oauth2'; hash: Buffer }
  /** A JWT with a valid signature. The hash is that of its login's secret; the JWT expires before its login. */
  | { kind: 'jwt'; hash: Buffer; expiresAt: string }
  | { kind: 'session'; id: string }
  /** Not one of our tokens, or expired; the database need not be asked. */
  | { kind: null; code: 'invalid_token' | 'token_expired' }

const PREFIXES: Partial<Record<TokenPrefix, 'pat' | 'oauth2'>> = { svc_: 'pat', sva_: 'oauth2' }
/** JWS compact serialization (RFC 7515 §7.1). */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Reads the credential of a request, null without one. A bearer token precedes a cookie. */
export async function readCredential(
  { authorization, cookies, provenance }: RequestFacts,
  { sessions, accessJwts }: { sessions: Sessions; accessJwts: AccessJwts },
): Promise<Credential | null> {
  const token = bearerToken(authorization)
  if (token !== null) return JWT.test(token) ? fromJwt(token, accessJwts) : fromBearer(token)
  // Pages of other sites cannot use a session, not even to read. Changes require one of our own pages (see requireAccess).
  const id = provenance.isForeignPage ? null : sessions.read(cookies)
  return id === null ? null : { kind: 'session', id }
}

/** The access row of a known, valid credential. */
export type KnownAccessRow = AccessRow & { credential_id: string }

/** The context in which a credential is authorized. */
export interface CredentialContext {
  ip: string
  limit: LimitName
  multiplier: number
  sessions: Sessions
  replyHeaders: ReplyHeaders
  /** The request was counted when it began, and is still open. */
  isCounted?: boolean
}

/**
 * Looks up a credential with its team and project, counts the request, and sets or clears a session's cookie, in one round
 * trip. Returns the row, or the code of the error when the credential is unknown, expired or of another kind. Throws
 * `rate_limited`.
 */
export async function authorizeCredential(
  tx: Tx,
  credential: Exclude<Credential, { kind: null }>,
  target: Pick<AccessQuery, 'team' | 'project' | 'origin'>,
  { ip, limit: name, multiplier, sessions, replyHeaders, isCounted = false }: CredentialContext,
): Promise<KnownAccessRow | { code: ErrorCode }> {
  const limit = isCounted ? null : scaled(name, multiplier)
  const unknown = unauthenticated(ip, multiplier)
  const isAccessToken = credential.kind === 'oauth2'
  const ask = (hash: Buffer) =>
    readAccess(tx, { ...target, hash, isAccessToken, limit, unknownSubject: unknown.subject, unknownLimit: unknown.limit })
  const { row, cookie } = await readRow(tx, credential, { sessions, ask })
  if (!isKnown(row, credential.kind)) {
    if (limit) requireWithinLimit('unauthenticated', unknown.limit, row, replyHeaders)
    if (credential.kind === 'session') replyHeaders.cookie(sessions.blankCookie)
    return { code: row.expired ? 'token_expired' : 'invalid_token' }
  }
  if (cookie !== null) replyHeaders.cookie(cookie)
  if (limit) requireWithinLimit(name, limit, row, replyHeaders)
  return row
}

async function readRow(
  tx: Tx,
  credential: Exclude<Credential, { kind: null }>,
  { sessions, ask }: { sessions: Sessions; ask: (hash: Buffer) => Promise<AccessRow> },
): Promise<{ row: AccessRow; cookie: string | null }> {
  if (credential.kind === 'session') return sessions.authorize(tx, credential.id, ask)
  const row = await ask(credential.hash)
  return { row: credential.kind === 'jwt' ? { ...row, expires_at: credential.expiresAt } : row, cookie: null }
}

function isKnown(row: AccessRow, kind: CredentialKind): row is KnownAccessRow {
  return !row.expired && row.credential_id !== null && row.credential_kind === kind
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

/** Returns the value of `Authorization: Bearer`, null without one (RFC 6750 §2.1; the scheme's case does not matter). */
function bearerToken(authorization: string | undefined): string | null {
  return authorization?.match(/^bearer +(\S+) *$/i)?.[1] ?? null
}
