import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { endingOwn } from './credentials.ts'
import type { Tx } from './driver/database.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'
import { oauth_clients } from './tables/oauth.ts'

/** What a person allowed a client. */
export interface AuthorizationRow {
  id: string
  client_id: string
  client_name: string
  scopes: Scope[]
  last_used_at: string | null
  updated_at: string
  created_at: string
}

const { placeholder } = sql

const list = statement<object, AuthorizationRow>(sql`
  select c.id, o.client_id, o.name as client_name, c.scopes, c.last_used_at, c.updated_at, c.created_at
    from ${credentials} c
    join ${oauth_clients} o on o.id = c.client_id
   where c.user_id = ${placeholder('userId')} and c.kind = 'oauth2' and c.revoked_at is null
     and c.expires_at > now()
     and c.id < ${placeholder('before')}
   order by c.id desc
   limit ${placeholder('take')}`)

export async function listAuthorizations<Item>(
  tx: Tx,
  userId: string,
  query: PageQuery,
  present: (row: AuthorizationRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { userId, ...pageBounds(query) }), query.limit, present)
}

/** Every token of it stops working with the next request. */
export const deleteAuthorization = endingOwn(['oauth2'], 'authorization')
