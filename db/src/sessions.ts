import { durations, scopes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { endOwnCredential } from './credentials.ts'
import { type Tx, transaction } from './driver/database.ts'
import type { UserActor } from './sql/actor.ts'
import { columnsOf } from './sql/columns.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'
import { findUser, type UserRow } from './users.ts'

/** A session, or a login by password (jwt): where somebody signed in on a device. */
export type SessionRow = Omit<typeof credentials.$inferSelect, 'hash'>

export interface NewSession {
  hash: Buffer
  userId: string
  expiresAt: string
  ip: string
  userAgent: string | null
  /** The hash of a session that it replaces. */
  replacedHash?: Buffer | null
}

const insert = statement<Omit<NewSession, 'replacedHash'> & { scopes: readonly string[] }, never>(
  (p) => sql`
  insert into ${credentials} (kind, hash, user_id, scopes, expires_at, last_used_at, ip, user_agent)
  values ('session', ${p.hash}, ${p.userId}, ${p.scopes}::text[], ${p.expiresAt}::timestamptz, now(), ${p.ip}::inet, ${p.userAgent})`,
)

/** Creates a session and returns its user. It carries all scopes: the role alone decides. */
export async function createSession(tx: Tx, { replacedHash, ...session }: NewSession): Promise<UserRow> {
  return transaction(tx, async (tx) => {
    if (replacedHash) await endSession(tx, replacedHash)
    await insert(tx, { ...session, scopes })
    return findUser(tx, session.userId)
  })
}

const prolong = statement<{ hash: Buffer; expiresAt: string; maxDays: number }, never>(
  (p) => sql`
  update ${credentials}
     set expires_at = least(${p.expiresAt}::timestamptz, created_at + ${p.maxDays}::int * interval '1 day')
   where hash = ${p.hash} and kind = 'session' and revoked_at is null`,
)

/** Prolongs a session that is used, up to the longest time that a session lasts. */
export async function prolongSession(tx: Tx, hash: Buffer, expiresAt: string): Promise<void> {
  await prolong(tx, { hash, expiresAt, maxDays: durations.sessionMaxDays })
}

const renew = statement<{ id: string | null; hash: Buffer }, never>(
  (p) => sql`
  update ${credentials}
     set hash = ${p.hash}, updated_at = now()
   where id = ${p.id} and kind = 'session' and revoked_at is null`,
)

/** Gives a session another id, of which the database keeps the hash. Changes nothing for a credential of another kind. */
export async function renewSession(tx: Tx, session: { id: string | null; hash: Buffer }): Promise<void> {
  await renew(tx, session)
}

const end = statement<{ hash: Buffer }, never>(
  (p) => sql`
  update ${credentials}
     set revoked_at = now(), updated_at = now()
   where hash = ${p.hash} and kind = 'session' and revoked_at is null`,
)

/** Ends the session of a cookie, if there is one. */
export async function endSession(tx: Tx, hash: Buffer): Promise<void> {
  await end(tx, { hash })
}

const endAll = statement<{ userId: string; exceptId: string | null }, never>(
  (p) => sql`
  update ${credentials}
     set revoked_at = now(), updated_at = now()
   where user_id = ${p.userId} and kind in ('session', 'jwt') and revoked_at is null and id is distinct from ${p.exceptId}::uuid`,
)

/**
 * Ends the sessions and password logins of a user, except one. Tokens and OAuth authorizations stay: the user gave them to
 * programs on purpose and withdraws them one by one.
 */
export async function endSignIns(tx: Tx, whose: { userId: string; exceptId: string | null }): Promise<void> {
  await endAll(tx, whose)
}

const list = statement<PageBounds & { userId: string }, SessionRow>(
  (p) => sql`
  select ${columnsOf(credentials)}
    from ${credentials}
   where user_id = ${p.userId} and kind in ('session', 'jwt') and revoked_at is null
     and expires_at > now()
     and id < ${p.before}
   order by id desc
   limit ${p.take}`,
)

/** Lists a user's sessions and password logins that are active, newest first. */
export async function listSessions<Item>(
  tx: Tx,
  userId: string,
  query: PageQuery,
  present: (row: SessionRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { userId, ...pageBounds(query) }), query.limit, present)
}

/** Ends one of the actor's sessions or password logins. Throws `not_found`. */
export async function deleteSession(tx: Tx, actor: UserActor, id: string): Promise<void> {
  await endOwnCredential(tx, actor, { id, kinds: ['session', 'jwt'], target: 'session' })
}
