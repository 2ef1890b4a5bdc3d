import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { columnsOf } from '../sql/columns.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { oauth_clients } from '../tables/oauth.ts'

/** A program that people may allow to act for them, created by the operator. */
export type OAuthClientRow = Omit<typeof oauth_clients.$inferSelect, 'scopes'> & { scopes: Scope[] }

export interface NewOAuthClient {
  clientId: string
  name: string
  /** Null: a public client. */
  secretHash: Buffer | null
  redirectUris: readonly string[]
  grantTypes: readonly string[]
  scopes: readonly Scope[]
}

const find = statement<{ clientId: string }, OAuthClientRow>(
  (p) => sql`
  select ${columnsOf(oauth_clients)}
    from ${oauth_clients}
   where client_id = ${p.clientId}`,
)

/** Returns the client with this `client_id`, or null. */
export async function findOAuthClient(tx: Tx, clientId: string): Promise<OAuthClientRow | null> {
  return (await find(tx, { clientId }))[0] ?? null
}

const list = statement<Record<never, never>, OAuthClientRow>(sql`
  select ${columnsOf(oauth_clients)}
    from ${oauth_clients}
   order by id`)

/** Lists all clients. They are few, and the operator's alone. */
export async function listOAuthClients(tx: Tx): Promise<OAuthClientRow[]> {
  return list(tx, {})
}

const insert = statement<NewOAuthClient, OAuthClientRow>(
  (p) => sql`
  insert into ${oauth_clients} (client_id, name, secret_hash, redirect_uris, grant_types, scopes)
  values (${p.clientId}, ${p.name}, ${p.secretHash}, ${p.redirectUris}::text[], ${p.grantTypes}::text[], ${p.scopes}::text[])
  returning ${columnsOf(oauth_clients)}`,
)

/** Creates a client. */
export async function createOAuthClient(tx: Tx, client: NewOAuthClient): Promise<OAuthClientRow> {
  return onlyOne(await insert(tx, client))
}

const remove = statement<{ clientId: string }, { id: string }>(
  (p) => sql`
  delete from ${oauth_clients}
   where client_id = ${p.clientId}
  returning id`,
)

/** Deletes a client and all that people allowed it, at once. Throws `not_found`. */
export async function deleteOAuthClient(tx: Tx, clientId: string): Promise<void> {
  if ((await remove(tx, { clientId })).length === 0) notFound()
}
