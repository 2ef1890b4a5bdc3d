import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Actor, actorParameter, actorValues } from './actor.ts'
import type { Tx } from './database.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './pages.ts'
import { notFound } from './rows.ts'
import { statement } from './statement.ts'
import { credentials } from './tables/people.ts'
import { oauth_clients } from './tables/sign-in.ts'

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

const remove = statement<object, { id: string }>(sql`
  with gone as (
    update ${credentials}
       set revoked_at = now(), updated_at = now()
     where id = ${placeholder('authorizationId')} and user_id = ${placeholder('actorUserId')}::uuid and kind = 'oauth2' and revoked_at is null
    returning id
  )
  select id, record_audit_in_teams(${actorParameter}, ${placeholder('actorUserId')}::uuid, 'authorization.deleted', 'authorization', id) as audited
    from gone`)

/** One of the actor's own; every token of it stops working with the next request. */
export async function deleteAuthorization(tx: Tx, actor: Actor, authorizationId: string): Promise<void> {
  if ((await remove(tx, { ...actorValues(actor), authorizationId })).length === 0) notFound()
}
