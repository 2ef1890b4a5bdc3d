import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { credentials } from '../tables/credentials.ts'
import { oauth_clients } from '../tables/oauth.ts'
import { access_tokens, refresh_tokens } from '../tables/tokens.ts'
import { users } from '../tables/users.ts'

/** The hashes of two new tokens, and how long they live. */
export interface TokenPair {
  accessHash: Buffer
  accessSeconds: number
  refreshHash: Buffer
  refreshSeconds: number
}

const { placeholder } = sql

const issue = statement<object, never>(sql`
  select issue_tokens(
           ${placeholder('credentialId')}, ${placeholder('scopes')}::text[],
           ${placeholder('accessHash')}, ${placeholder('accessSeconds')}, ${placeholder('refreshHash')}, ${placeholder('refreshSeconds')}
         )`)

/** The first tokens of what a client was allowed. */
export async function issueTokens(tx: Tx, grant: { credentialId: string; scopes: readonly Scope[] }, tokens: TokenPair): Promise<void> {
  await issue(tx, { ...grant, ...tokens })
}

const revoke = statement<object, { found: boolean }>(sql`
  select revoke_oauth_token(${placeholder('hash')}, ${placeholder('clientId')}, ${placeholder('ip')}::inet) as found`)

/** An access token ends alone, a refresh token with its family. False: there is none, or it is another client's. */
export async function revokeOAuthToken(tx: Tx, token: { hash: Buffer; clientId: string; ip: string }): Promise<boolean> {
  return onlyOne(await revoke(tx, token)).found
}

/** A token that works. */
export interface ActiveToken {
  kind: 'access' | 'refresh'
  scopes: Scope[]
  expires_at: string
  user_id: string
  client_id: string
}

const inspect = statement<object, ActiveToken>(sql`
  select shown.kind, coalesce(shown.scopes, c.scopes) as scopes, shown.expires_at, c.user_id, o.client_id
    from (
           select 'access' as kind, a.credential_id, a.scopes, a.expires_at
             from ${access_tokens} a
            where a.hash = ${placeholder('hash')}
           union all
           select 'refresh', r.credential_id, null, r.expires_at
             from ${refresh_tokens} r
            where r.hash = ${placeholder('hash')} and r.used_at is null
         ) shown
    join ${credentials} c on c.id = shown.credential_id and c.client_id = ${placeholder('clientId')} and c.revoked_at is null
    join ${users} u on u.id = c.user_id and u.disabled_at is null
    join ${oauth_clients} o on o.id = c.client_id
   where shown.expires_at > now()`)

/** One of the client's own, null if it does not work. */
export async function inspectOAuthToken(tx: Tx, token: { hash: Buffer; clientId: string }): Promise<ActiveToken | null> {
  return (await inspect(tx, token))[0] ?? null
}
