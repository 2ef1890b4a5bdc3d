import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { oauth_clients } from '../tables/oauth.ts'

/** A program that people may allow to act for them, made by the operator. */
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

const { placeholder } = sql

const find = statement<{ clientId: string }, OAuthClientRow>(sql`
  select *
    from ${oauth_clients}
   where client_id = ${placeholder('clientId')}`)

export async function findOAuthClient(tx: Tx, clientId: string): Promise<OAuthClientRow | null> {
  return (await find(tx, { clientId }))[0] ?? null
}

const list = statement<object, OAuthClientRow>(sql`
  select *
    from ${oauth_clients}
   order by id`)

/** All of them: they are few, and the operator's alone. */
export async function listOAuthClients(tx: Tx): Promise<OAuthClientRow[]> {
  return list(tx, {})
}

const create = statement<object, OAuthClientRow>(sql`
  insert into ${oauth_clients} (client_id, name, secret_hash, redirect_uris, grant_types, scopes)
  values (${placeholder('clientId')}, ${placeholder('name')}, ${placeholder('secretHash')}, ${placeholder('redirectUris')}::text[],
          ${placeholder('grantTypes')}::text[], ${placeholder('scopes')}::text[])
  returning *`)

export async function createOAuthClient(tx: Tx, client: NewOAuthClient): Promise<OAuthClientRow> {
  return onlyOne(await create(tx, client))
}

const remove = statement<{ clientId: string }, { id: string }>(sql`
  delete from ${oauth_clients}
   where client_id = ${placeholder('clientId')}
  returning id`)

/** With all that people allowed it, at once. Throws `not_found`. */
export async function deleteOAuthClient(tx: Tx, clientId: string): Promise<void> {
  if ((await remove(tx, { clientId })).length === 0) notFound()
}
