import { scopes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'
import { refresh_tokens } from './tables/tokens.ts'

/** A log-in by password (a credential of the kind jwt), with its first refresh token. */
interface NewLogin {
  id: string
  /** SHA-256 of the secret that its access tokens carry. */
  hash: Buffer
  userId: string
  refreshHash: Buffer
  /** When the refresh token ends, and the log-in unless it is refreshed before. */
  expiresAt: string
  ip: string
  userAgent: string | null
}

const { placeholder } = sql

const create = statement<object, never>(sql`
  with created as (
    insert into ${credentials} (id, kind, hash, user_id, scopes, expires_at, last_used_at, ip, user_agent)
    values (${placeholder('id')}, 'jwt', ${placeholder('hash')}, ${placeholder('userId')}, ${placeholder('scopes')}::text[],
            ${placeholder('expiresAt')}::timestamptz, now(), ${placeholder('ip')}::inet, ${placeholder('userAgent')})
    returning id, expires_at
  )
  insert into ${refresh_tokens} (hash, credential_id, expires_at)
  select ${placeholder('refreshHash')}, id, expires_at
    from created`)

/** Begins a log-in. It carries all scopes: the role alone decides. */
export async function createLogin(tx: Tx, login: NewLogin): Promise<void> {
  await create(tx, { ...login, scopes })
}

const end = statement<{ refreshHash: Buffer }, { id: string }>(sql`
  update ${credentials} c
     set revoked_at = now(), updated_at = now()
    from ${refresh_tokens} r
   where r.hash = ${placeholder('refreshHash')} and c.id = r.credential_id
     and c.kind = 'jwt' and c.revoked_at is null
  returning c.id`)

/** Ends the log-in of a refresh token, used or not, and its access tokens with it. False: there is none that goes on. */
export async function endLogin(tx: Tx, refreshHash: Buffer): Promise<boolean> {
  return (await end(tx, { refreshHash })).length > 0
}
