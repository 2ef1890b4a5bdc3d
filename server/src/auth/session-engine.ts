import { type AccessRow, createSession, endSession, prolongSession, type Tx, type UserRow } from '@earshot/db'
import { parseCookie } from 'cookie'
import { type Adapter, Lucia, TimeSpan } from 'lucia'
import { hashToken } from './token-values.ts'

const LIFETIME = new TimeSpan(30, 'd')

/** Who begins a session, and from where. */
interface Beginning {
  userId: string
  ip: string
  userAgent: string | null
  /** Of the session that the browser had: it ends, so that nobody goes on under an id that was known before. */
  replacedId: string | null
}

/** Sessions of the pages by Lucia, the only module that knows it: what the database keeps of an id is its hash. */
export interface Sessions {
  /** The session's id among the cookies of a request. */
  read(cookieHeader: string | undefined): string | null
  /** Judges a session by `ask`, which answers for its hash; one in the second half of its life is prolonged, and `cookie` to be sent again. */
  authorize(tx: Tx, id: string, ask: (hash: Buffer) => Promise<AccessRow>): Promise<{ answer: AccessRow; cookie: string | null }>
  begin(tx: Tx, beginning: Beginning): Promise<{ user: UserRow; cookie: string }>
  /** Another id for a session that goes on: what the database is to keep of it, and its cookie. */
  renew(userId: string): Promise<{ hash: Buffer; cookie: string }>
  end(tx: Tx, id: string): Promise<void>
  /** Takes the cookie away. */
  blankCookie: string
}

export function createSessions(baseUrl: string): Sessions {
  const secure = isSecure(baseUrl)
  const name = sessionCookieName(baseUrl)
  const luciaFor = (adapter: Partial<Adapter>) =>
    new Lucia({ ...unused, ...adapter }, { sessionExpiresIn: LIFETIME, sessionCookie: { name, attributes: { secure, sameSite: 'lax' } } })
  /** An id that nobody has yet. */
  const issue = async (userId: string) => {
    const lucia = luciaFor({ setSession: async () => {} })
    const { id, expiresAt } = await lucia.createSession(userId, {})
    return { hash: hashToken(id), expiresAt: expiresAt.toISOString(), cookie: lucia.createSessionCookie(id).serialize() }
  }

  return {
    read: (cookieHeader) => (cookieHeader === undefined ? null : (parseCookie(cookieHeader)[name] ?? null)),
    async authorize(tx, id, ask) {
      const answer = await ask(hashToken(id))
      const lucia = luciaFor({
        getSessionAndUser: async () => (isSession(answer) ? [sessionOf(id, answer), { id: answer.user_id, attributes: {} }] : [null, null]),
        // Where this machine's clock is ahead of the database's, which judges in the end.
        deleteSession: async () => {},
        updateSessionExpiration: (_id, expiresAt) => prolongSession(tx, hashToken(id), expiresAt.toISOString()),
      })
      const { session } = await lucia.validateSession(id)
      return {
        answer: session ? answer : { ...answer, credential_id: null },
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

/** A name with __Host- is refused by browsers unless it is secure, of this host and of all paths (RFC 6265bis §4.1.3.2). */
export function sessionCookieName(baseUrl: string): string {
  return isSecure(baseUrl) ? '__Host-earshot_session' : 'earshot_session'
}

function isSecure(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === 'https:'
}

function isSession({ credential_id, credential_kind }: AccessRow): boolean {
  return credential_id !== null && credential_kind === 'session'
}

function sessionOf(id: string, { user_id, expires_at }: AccessRow) {
  return { id, userId: user_id, expiresAt: new Date(expires_at ?? 0), attributes: {} }
}

const unexpected = () => {
  throw new Error('Lucia asked for what this use of it does not need')
}

/** Each use fills in what it needs; the rest is done in SQL, for a user's list and for jobs. */
const unused: Adapter = {
  getSessionAndUser: unexpected,
  getUserSessions: unexpected,
  setSession: unexpected,
  updateSessionExpiration: unexpected,
  deleteSession: unexpected,
  deleteUserSessions: unexpected,
  deleteExpiredSessions: unexpected,
}
