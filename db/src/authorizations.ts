import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { endOwnCredential } from './credentials.ts'
import type { Tx } from './driver/database.ts'
import type { UserActor } from './sql/actor.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'
import { oauth_clients } from './tables/oauth.ts'

/** What a person allowed an OAuth client to do. */
export interface AuthorizationRow {
  id: string
  client_id: string
  client_name: string
  scopes: Scope[]
  last_used_at: string | null
  updated_at: string
  created_at: string
}

const list = statement<PageBounds & { userId: string }, AuthorizationRow>(
  (p) => sql`
  select c.id, o.client_id, o.name as client_name, c.scopes, c.last_used_at, c.updated_at, c.created_at
    from ${credentials} c
    join ${oauth_clients} o on o.id = c.client_id
   where c.user_id = ${p.userId} and c.kind = 'oauth2' and c.revoked_at is null
     and c.expires_at > now()
     and c.id < ${p.before}
   order by c.id desc
   limit ${p.take}`,
)

/** Lists a user's authorizations that are active, newest first. */
export async function listAuthorizations<Item>(
  tx: Tx,
  userId: string,
  query: PageQuery,
  present: (row: AuthorizationRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { userId, ...pageBounds(query) }), query.limit, present)
}

/** Withdraws one of the actor's authorizations: all its tokens stop working with the next request. Throws `not_found`. */
export async function deleteAuthorization(tx: Tx, actor: UserActor, id: string): Promise<void> {
  await endOwnCredential(tx, actor, { id, kinds: ['oauth2'], target: 'authorization' })
}
