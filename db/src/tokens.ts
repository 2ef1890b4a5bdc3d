import { ApiError, type Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { type Actor, actorParameter, actorValues } from './sql/actor.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'

export type TokenRow = Omit<typeof credentials.$inferSelect, 'hash'>

export interface NewToken {
  /** The token that makes it; its deletion deletes this one too. */
  parentId: string | null
  name: string
  scopes: readonly Scope[]
  hash: Buffer
  hint: string
  expiresAt: string | null
}

const { placeholder } = sql
const columns = sql`id, kind, user_id, parent_id, name, hint, scopes, expires_at, last_used_at, revoked_at, updated_at, created_at`

const list = statement<object, TokenRow>(sql`
  select ${columns}
    from ${credentials}
   where user_id = ${placeholder('userId')} and kind = 'pat' and revoked_at is null
     and id < ${placeholder('before')}
   order by id desc
   limit ${placeholder('take')}`)

export async function listTokens<Item>(tx: Tx, userId: string, query: PageQuery, present: (row: TokenRow) => Item): Promise<Page<Item>> {
  return pageOf(await list(tx, { userId, ...pageBounds(query) }), query.limit, present)
}

// The parent is locked against a deletion at the same moment, which would otherwise miss the new child.
const create = statement<object, TokenRow>(sql`
  with parent as (
    select id
      from ${credentials}
     where id = ${placeholder('parentId')}::uuid and revoked_at is null
       for share
  ),
  created as (
    insert into ${credentials} (kind, hash, user_id, parent_id, name, hint, scopes, expires_at)
    select 'pat', ${placeholder('hash')}, ${placeholder('actorUserId')}, ${placeholder('parentId')}::uuid, ${placeholder('name')}, ${placeholder('hint')},
           ${placeholder('scopes')}::text[], ${placeholder('expiresAt')}::timestamptz
     where ${placeholder('parentId')}::uuid is null or exists (select from parent)
    returning ${columns}
  )
  select created.*, record_audit_in_teams(${actorParameter}, user_id, 'token.created', 'token', id,
           changed_fields('{}', jsonb_strip_nulls(jsonb_build_object('name', name, 'scopes', scopes, 'expires_at', iso_timestamp(expires_at))))) as audited
    from created`)

/** The actor's own. Throws `invalid_token` when the token that makes it was deleted at the same moment. */
export async function createToken(tx: Tx, actor: Actor, token: NewToken): Promise<TokenRow> {
  const [row] = await create(tx, { ...token, ...actorValues(actor) })
  if (!row) throw new ApiError('invalid_token')
  return row
}

const revoke = statement<object, { revoked: boolean }>(sql`
  select revoke_token(${actorParameter}, ${placeholder('tokenId')}) as revoked`)

/** One of the actor's own; it and all that it made stop working with the next request. */
export async function revokeToken(tx: Tx, actor: Actor, tokenId: string): Promise<void> {
  if (!onlyOne(await revoke(tx, { ...actorValues(actor), tokenId })).revoked) notFound()
}
