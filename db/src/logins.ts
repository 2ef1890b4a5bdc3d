import { scopes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'
import { refresh_tokens } from './tables/tokens.ts'

/** A login by password (a credential of the kind jwt), with its first refresh token. */
interface NewLogin {
  id: string
  /** SHA-256 of the secret that its access tokens carry. */
  hash: Buffer
  userId: string
  refreshHash: Buffer
  /** When the refresh token expires, and the login with it unless it is refreshed before. */
  expiresAt: string
  ip: string
  userAgent: string | null
}

const insert = statement<Omit<NewLogin, 'refreshHash'> & { scopes: readonly string[] }, never>(
  (p) => sql`
  insert into ${credentials} (id, kind, hash, user_id, scopes, expires_at, last_used_at, ip, user_agent)
  values (${p.id}, 'jwt', ${p.hash}, ${p.userId}, ${p.scopes}::text[], ${p.expiresAt}::timestamptz, now(), ${p.ip}::inet, ${p.userAgent})`,
)

const insertRefreshToken = statement<Pick<NewLogin, 'id' | 'refreshHash' | 'expiresAt'>, never>(
  (p) => sql`
  insert into ${refresh_tokens} (hash, credential_id, expires_at)
  values (${p.refreshHash}, ${p.id}, ${p.expiresAt}::timestamptz)`,
)

/** Creates a login. It carries all scopes: the role alone decides. */
export async function createLogin(tx: Tx, login: NewLogin): Promise<void> {
  await transaction(tx, async (tx) => {
    await insert(tx, { ...login, scopes })
    await insertRefreshToken(tx, login)
  })
}

const end = statement<{ refreshHash: Buffer }, { id: string }>(
  (p) => sql`
  update ${credentials} c
     set revoked_at = now(), updated_at = now()
    from ${refresh_tokens} r
   where r.hash = ${p.refreshHash} and c.id = r.credential_id
     and c.kind = 'jwt' and c.revoked_at is null
  returning c.id`,
)

/** Ends the login of a refresh token, used or not, and its access tokens. Returns false when there is none that is active. */
export async function endLogin(tx: Tx, refreshHash: Buffer): Promise<boolean> {
  return (await end(tx, { refreshHash })).length > 0
}

const endAll = statement<{ userId: string }, never>(
  (p) => sql`
  update ${credentials}
     set revoked_at = now(), updated_at = now()
   where user_id = ${p.userId} and kind = 'jwt' and revoked_at is null`,
)

/** Ends all logins of a user. */
export async function endLogins(tx: Tx, userId: string): Promise<void> {
  await endAll(tx, { userId })
}
