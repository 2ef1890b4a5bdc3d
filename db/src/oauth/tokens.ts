import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { recordAuditInTeams } from '../sql/audit.ts'
import { statement } from '../sql/statement.ts'
import { credentials } from '../tables/credentials.ts'
import { oauth_clients } from '../tables/oauth.ts'
import { access_tokens, refresh_tokens } from '../tables/tokens.ts'
import { users } from '../tables/users.ts'

/** The hashes of two new tokens and how long they live. */
export interface TokenPair {
  accessHash: Buffer
  accessSeconds: number
  refreshHash: Buffer
  refreshSeconds: number
}

const insertAccess = statement<{ hash: Buffer; credentialId: string; scopes: readonly Scope[]; seconds: number }, never>(
  (p) => sql`
  insert into ${access_tokens} (hash, credential_id, scopes, expires_at)
  values (${p.hash}, ${p.credentialId}, ${p.scopes}::text[], now() + ${p.seconds}::int * interval '1 second')`,
)

const insertRefresh = statement<{ hash: Buffer; credentialId: string; seconds: number }, never>(
  (p) => sql`
  insert into ${refresh_tokens} (hash, credential_id, expires_at)
  values (${p.hash}, ${p.credentialId}, now() + ${p.seconds}::int * interval '1 second')`,
)

const prolong = statement<{ credentialId: string; seconds: number }, never>(
  (p) => sql`
  update ${credentials}
     set expires_at = now() + ${p.seconds}::int * interval '1 second'
   where id = ${p.credentialId}`,
)

/** Issues the first tokens of an authorization, which from now on lives as long as its refresh token. */
export async function issueTokens(
  tx: Tx,
  { credentialId, scopes }: { credentialId: string; scopes: readonly Scope[] },
  { accessHash, accessSeconds, refreshHash, refreshSeconds }: TokenPair,
): Promise<void> {
  await transaction(tx, async (tx) => {
    await insertAccess(tx, { hash: accessHash, credentialId, scopes, seconds: accessSeconds })
    await insertRefresh(tx, { hash: refreshHash, credentialId, seconds: refreshSeconds })
    await prolong(tx, { credentialId, seconds: refreshSeconds })
  })
}

interface TokenOfClient {
  hash: Buffer
  clientId: string
}

const deleteAccess = statement<TokenOfClient, { hash: Buffer }>(
  (p) => sql`
  delete from ${access_tokens} a
   using ${credentials} c
   where a.hash = ${p.hash} and c.id = a.credential_id and c.client_id = ${p.clientId}
  returning a.hash`,
)

const endFamily = statement<TokenOfClient, { id: string; user_id: string }>(
  (p) => sql`
  update ${credentials} c
     set revoked_at = now(), updated_at = now()
    from ${refresh_tokens} r
   where r.hash = ${p.hash} and c.id = r.credential_id and c.client_id = ${p.clientId} and c.revoked_at is null
  returning c.id, c.user_id`,
)

/**
 * Revokes a token that a client gives back (RFC 7009 §2.1): an access token alone, a refresh token with all that the client
 * was allowed. Returns false when there is no such token, or it is another client's.
 */
export async function revokeOAuthToken(tx: Tx, { ip, ...token }: TokenOfClient & { ip: string }): Promise<boolean> {
  return transaction(tx, async (tx) => {
    if ((await deleteAccess(tx, token)).length > 0) return true
    const [ended] = await endFamily(tx, token)
    if (!ended) return false
    const { id, user_id } = ended
    const actor = { userId: user_id, credentialId: id, credentialKind: 'oauth2', ip }
    await recordAuditInTeams(tx, actor, { user_id, action: 'authorization.deleted', target: 'authorization', target_id: id })
    return true
  })
}

/** A token that works. */
export interface ActiveToken {
  kind: 'access' | 'refresh'
  scopes: Scope[]
  expires_at: string
  user_id: string
  client_id: string
  /** The resource that the client named; null for none. */
  resource: string | null
}

const inspect = statement<TokenOfClient, ActiveToken>(
  (p) => sql`
  select shown.kind, coalesce(shown.scopes, c.scopes) as scopes, shown.expires_at, c.user_id, o.client_id, c.resource
    from (
           select 'access' as kind, a.credential_id, a.scopes, a.expires_at
             from ${access_tokens} a
            where a.hash = ${p.hash}
           union all
           select 'refresh', r.credential_id, null, r.expires_at
             from ${refresh_tokens} r
            where r.hash = ${p.hash} and r.used_at is null
         ) shown
    join ${credentials} c on c.id = shown.credential_id and c.client_id = ${p.clientId} and c.revoked_at is null
    join ${users} u on u.id = c.user_id and u.disabled_at is null
    join ${oauth_clients} o on o.id = c.client_id
   where shown.expires_at > now()`,
)

/** Returns one of the client's own tokens; null if it does not work. */
export async function inspectOAuthToken(tx: Tx, token: TokenOfClient): Promise<ActiveToken | null> {
  return (await inspect(tx, token))[0] ?? null
}
