import { scopes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { endingOwn } from './credentials.ts'
import type { Tx } from './driver/database.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'
import { users } from './tables/users.ts'
import type { UserRow } from './users.ts'

/** A session, or a log-in by password (jwt): what somebody began on a device. */
export type SessionRow = Omit<typeof credentials.$inferSelect, 'hash'>

export interface NewSession {
  hash: Buffer
  userId: string
  expiresAt: string
  ip: string
  userAgent: string | null
  /** Of a session that it takes the place of. */
  replacedHash?: Buffer | null
}

const { placeholder } = sql

const create = statement<object, UserRow>(sql`
  with replaced as (
    update ${credentials}
       set revoked_at = now(), updated_at = now()
     where hash = ${placeholder('replacedHash')} and kind = 'session' and revoked_at is null
  ),
  created as (
    insert into ${credentials} (kind, hash, user_id, scopes, expires_at, last_used_at, ip, user_agent)
    values ('session', ${placeholder('hash')}, ${placeholder('userId')}, ${placeholder('scopes')}::text[], ${placeholder('expiresAt')}::timestamptz, now(),
            ${placeholder('ip')}::inet, ${placeholder('userAgent')})
    returning user_id
  )
  select u.*
    from created
    join ${users} u on u.id = created.user_id`)

/** Begins a session. It carries all scopes: the role alone decides. Gives whose it is. */
export async function createSession(tx: Tx, session: NewSession): Promise<UserRow> {
  return onlyOne(await create(tx, { replacedHash: null, ...session, scopes }))
}

const prolong = statement<{ hash: Buffer; expiresAt: string }, { expires_at: string }>(sql`
  update ${credentials}
     set expires_at = least(${placeholder('expiresAt')}::timestamptz, created_at + interval '90 days')
   where hash = ${placeholder('hash')} and kind = 'session' and revoked_at is null
  returning expires_at`)

/** A session that is used goes on, but for 90 days at most. */
export async function prolongSession(tx: Tx, hash: Buffer, expiresAt: string): Promise<void> {
  await prolong(tx, { hash, expiresAt })
}

const end = statement<{ hash: Buffer }, never>(sql`
  update ${credentials}
     set revoked_at = now(), updated_at = now()
   where hash = ${placeholder('hash')} and kind = 'session' and revoked_at is null`)

/** The session of the cookie, if there is one. */
export async function endSession(tx: Tx, hash: Buffer): Promise<void> {
  await end(tx, { hash })
}

const list = statement<object, SessionRow>(sql`
  select *
    from ${credentials}
   where user_id = ${placeholder('userId')} and kind in ('session', 'jwt') and revoked_at is null
     and expires_at > now()
     and id < ${placeholder('before')}
   order by id desc
   limit ${placeholder('take')}`)

export async function listSessions<Item>(
  tx: Tx,
  userId: string,
  query: PageQuery,
  present: (row: SessionRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { userId, ...pageBounds(query) }), query.limit, present)
}

/** A session, or a log-in by password. */
export const deleteSession = endingOwn(['session', 'jwt'], 'session')
