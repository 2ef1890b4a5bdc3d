import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { UserActor } from '../sql/actor.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { credentials } from '../tables/credentials.ts'
import { authorization_codes } from '../tables/oauth.ts'
import { users } from '../tables/users.ts'
import { allowClient } from './authorizations.ts'
import { endReusedCredential } from './reused-credentials.ts'

export interface NewAuthorizationCode {
  hash: Buffer
  /** The id of the client's row, not its `client_id`. */
  clientId: string
  scopes: readonly Scope[]
  redirectUri: string
  codeChallenge: string
  resource: string | null
  lifetimeSeconds: number
}

/** What a code is exchanged for. */
export interface AuthorizationCodeRow {
  credential_id: string
  user_id: string
  scopes: Scope[]
  redirect_uri: string
  code_challenge: string
}

// The database's clock begins and ends the life of a code: sixty seconds leave no room for the difference of two clocks.
const readExpiry = statement<{ lifetimeSeconds: number }, { expires_at: string }>(
  (p) => sql`
  select now() + ${p.lifetimeSeconds}::int * interval '1 second' as expires_at`,
)

const insert = statement<
  Omit<NewAuthorizationCode, 'clientId' | 'scopes' | 'resource' | 'lifetimeSeconds'> & { credentialId: string; expiresAt: string },
  never
>(
  (p) => sql`
  insert into ${authorization_codes} (hash, credential_id, redirect_uri, code_challenge, expires_at)
  values (${p.hash}, ${p.credentialId}, ${p.redirectUri}, ${p.codeChallenge}, ${p.expiresAt}::timestamptz)`,
)

/** Records that the actor allows a client to act for them, with the code that the client exchanges for tokens. */
export async function createAuthorizationCode(tx: Tx, actor: UserActor, code: NewAuthorizationCode): Promise<void> {
  const { hash, clientId, scopes, resource, redirectUri, codeChallenge, lifetimeSeconds } = code
  await transaction(tx, async (tx) => {
    const { expires_at: expiresAt } = onlyOne(await readExpiry(tx, { lifetimeSeconds }))
    const credentialId = await allowClient(tx, actor, { clientId, scopes, expiresAt, resource })
    await insert(tx, { hash, credentialId, redirectUri, codeChallenge, expiresAt })
  })
}

const take = statement<{ hash: Buffer; clientId: string }, AuthorizationCodeRow>(
  (p) => sql`
  update ${authorization_codes} a
     set used_at = now()
    from ${credentials} c
    join ${users} u on u.id = c.user_id and u.disabled_at is null
   where a.hash = ${p.hash} and a.used_at is null and a.expires_at > now()
     and c.id = a.credential_id and c.client_id = ${p.clientId} and c.revoked_at is null
  returning c.id as credential_id, c.user_id, c.scopes, a.redirect_uri, a.code_challenge`,
)

const findUsed = statement<{ hash: Buffer; clientId: string }, { credential_id: string }>(
  (p) => sql`
  select c.id as credential_id
    from ${authorization_codes} a
    join ${credentials} c on c.id = a.credential_id and c.client_id = ${p.clientId}
   where a.hash = ${p.hash} and a.used_at is not null`,
)

/**
 * Uses a code up, before anything else about the request is checked: of any number of callers exactly one gets what it is
 * for. A second use may be a thief's, or the first was, so all that the code gave ends (RFC 6749 §4.1.2). Returns null for a
 * code that is unknown, expired, another client's or used; nothing is thrown, so that the end of the credential is committed.
 */
export async function takeAuthorizationCode(tx: Tx, code: { hash: Buffer; clientId: string }): Promise<AuthorizationCodeRow | null> {
  return transaction(tx, async (tx) => {
    const [taken] = await take(tx, code)
    if (taken) return taken
    const [used] = await findUsed(tx, code)
    if (used) await endReusedCredential(tx, used.credential_id, 'an authorization code')
    return null
  })
}
