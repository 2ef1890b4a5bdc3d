import { type AccessRow, createSession, endSession, prolongSession, type Tx, type UserRow } from '@earshot/db'
import { parseCookie } from 'cookie'
import { type Adapter, Lucia, TimeSpan } from 'lucia'
import { hashToken } from './token-values.ts'

const LIFETIME = new TimeSpan(30, 'd')

/** The person and device of a new session. */
interface Beginning {
  userId: string
  ip: string
  userAgent: string | null
  /** The browser's previous session. It ends, so that an id from before signing in is worthless (session fixation). */
  replacedId: string | null
}

/** Sessions of the pages, implemented with Lucia. The database stores only the hash of a session's id. */
export interface Sessions {
  /** Returns the session's id from the Cookie header. */
  read(cookieHeader: string | undefined): string | null
  /** Looks up a session with `ask`. In the second half of its lifetime it is prolonged, and `cookie` must be sent. */
  authorize(tx: Tx, id: string, ask: (hash: Buffer) => Promise<AccessRow>): Promise<{ row: AccessRow; cookie: string | null }>
  begin(tx: Tx, beginning: Beginning): Promise<{ user: UserRow; cookie: string }>
  /** Creates another id for a session that continues. Returns the hash to store, and the cookie. */
  renew(userId: string): Promise<{ hash: Buffer; cookie: string }>
  end(tx: Tx, id: string): Promise<void>
  /** The value of a Set-Cookie header that clears the cookie. */
  blankCookie: string
}

export function createSessions(baseUrl: string): Sessions {
  const secure = isSecure(baseUrl)
  const name = sessionCookieName(baseUrl)
  const luciaFor = (adapter: Partial<Adapter>) =>
    new Lucia({ ...unused, ...adapter }, { sessionExpiresIn: LIFETIME, sessionCookie: { name, attributes: { secure, sameSite: 'lax' } } })
  /** Creates a new session id. */
  const issue = async (userId: string) => {
    const lucia = luciaFor({ setSession: async () => {} })
    const { id, expiresAt } = await lucia.createSession(userId, {})
    return { hash: hashToken(id), expiresAt: expiresAt.toISOString(), cookie: lucia.createSessionCookie(id).serialize() }
  }

  return {
    read: (cookieHeader) => (cookieHeader === undefined ? null : (parseCookie(cookieHeader)[name] ?? null)),
    async authorize(tx, id, ask) {
      const row = await ask(hashToken(id))
      const lucia = luciaFor({
        getSessionAndUser: async () => (isSession(row) ? [sessionOf(id, row), { id: row.user_id, attributes: {} }] : [null, null]),
        // Called when this machine's clock is ahead of the database's. Only the database's clock ends a session.
        deleteSession: async () => {},
        updateSessionExpiration: (_id, expiresAt) => prolongSession(tx, hashToken(id), expiresAt.toISOString()),
      })
      const { session } = await lucia.validateSession(id)
      return {
        row: session ? row : { ...row, credential_id: null },
        cookie: session?.fresh ? lucia.createSessionCookie(id).serialize() : null,
      }
    },
    async begin(tx, { userId, ip, userAgent, replacedId }) {
      const { hash, expiresAt, cookie } = await issue(userId)
      const replacedHash = replacedId === null ? null : hashToken(replacedId)
      return { user: await createSession(tx, { hash, userId, expiresAt, ip, userAgent, replacedHash }), cookie }
    },
    renew: issue,
    end: (tx, id) => luciaFor({ deleteSession: (own) => endSession(tx, hashToken(own)) }).invalidateSession(id),
    blankCookie: luciaFor({}).createBlankSessionCookie().serialize(),
  }
}

/** Returns the cookie's name. Browsers accept `__Host-` only for secure cookies of this host and all paths (RFC 6265bis §4.1.3.2). */
export function sessionCookieName(baseUrl: string): string {
  return isSecure(baseUrl) ? '__Host-earshot_session' : 'earshot_session'
}

/** Whether browsers reach the service over TLS, so that its cookies are secure ones. */
export function isSecure(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === 'https:'
}

function isSession({ credential_id, credential_kind }: AccessRow): boolean {
  return credential_id !== null && credential_kind === 'session'
}

function sessionOf(id: string, { user_id, expires_at }: AccessRow) {
  return { id, userId: user_id, expiresAt: new Date(expires_at ?? 0), attributes: {} }
}

const unexpected = () => {
  throw new Error('Lucia called a method of the adapter that should not be needed')
}

/** Each use overrides the methods that it needs. */
const unused: Adapter = {
  getSessionAndUser: unexpected,
  getUserSessions: unexpected,
  setSession: unexpected,
  updateSessionExpiration: unexpected,
  deleteSession: unexpected,
  deleteUserSessions: unexpected,
  deleteExpiredSessions: unexpected,
}
