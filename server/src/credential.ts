import type { CredentialKind, ErrorCode } from '@earshot/contracts'
import type { AccessAnswer, Tx } from '@earshot/db'
import type { AccessJwts } from './access-jwts.ts'
import type { Approach } from './approach.ts'
import type { Sessions } from './sessions.ts'
import { hashToken, isWellFormedToken, type TokenPrefix } from './tokens.ts'

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
  { authorization, cookies, provenance }: Approach,
  { sessions, accessJwts }: { sessions: Sessions; accessJwts: AccessJwts },
): Promise<Credential | null> {
  const token = bearerToken(authorization)
  if (token !== null) return JWT.test(token) ? fromJwt(token, accessJwts) : fromBearer(token)
  // A session counts for our own pages alone, reads included; a change asks for more proof when it is judged.
  const id = provenance.isForeignPage ? null : sessions.read(cookies)
  return id === null ? null : { kind: 'session', id }
}

/** Asks for the credential; the answer is the database's, but never for another kind than was shown. */
export async function judgeCredential(
  tx: Tx,
  credential: Exclude<Credential, { kind: null }>,
  { sessions, ask }: { sessions: Sessions; ask: (hash: Buffer) => Promise<AccessAnswer> },
): Promise<{ answer: AccessAnswer; cookie: string | null; code: ErrorCode | null }> {
  if (credential.kind === 'session') {
    const { answer, cookie } = await sessions.judge(tx, credential.id, ask)
    return { answer, cookie, code: refusalOf(answer, 'session') }
  }
  const found = await ask(credential.hash)
  const answer = credential.kind === 'jwt' ? { ...found, expires_at: credential.expiresAt } : found
  return { answer, cookie: null, code: refusalOf(answer, credential.kind) }
}

function refusalOf({ credential_id, credential_kind, expired }: AccessAnswer, shown: CredentialKind): ErrorCode | null {
  if (expired) return 'token_expired'
  return credential_id === null || credential_kind !== shown ? 'invalid_token' : null
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
