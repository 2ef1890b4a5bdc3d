import { ApiError, type Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './database.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './pages.ts'
import { notFound, onlyOne } from './rows.ts'
import { statement } from './statement.ts'
import { credentials } from './tables/people.ts'

export type TokenRow = Omit<typeof credentials.$inferSelect, 'hash'>

export interface NewToken {
  userId: string
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
  )
  insert into ${credentials} (kind, hash, user_id, parent_id, name, hint, scopes, expires_at)
  select 'pat', ${placeholder('hash')}, ${placeholder('userId')}, ${placeholder('parentId')}::uuid, ${placeholder('name')}, ${placeholder('hint')},
         ${placeholder('scopes')}::text[], ${placeholder('expiresAt')}::timestamptz
   where ${placeholder('parentId')}::uuid is null or exists (select from parent)
  returning ${columns}`)

/** Throws `invalid_token` when the token that makes it was deleted at the same moment. */
export async function createToken(tx: Tx, token: NewToken): Promise<TokenRow> {
  const [row] = await create(tx, token)
  if (!row) throw new ApiError('invalid_token')
  return row
}

const revoke = statement<{ tokenId: string; userId: string }, { revoked: boolean }>(sql`
  select revoke_token(${placeholder('userId')}, ${placeholder('tokenId')}) as revoked`)

/** The token and all that it made stop working with the next request. */
export async function revokeToken(tx: Tx, ref: { tokenId: string; userId: string }): Promise<void> {
  if (!onlyOne(await revoke(tx, ref)).revoked) notFound()
}
