import { ApiError, type Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import { type ActorValues, actorRow, actorValues, type UserActor } from './sql/actor.ts'
import { changedFields, recordAuditInTeams } from './sql/audit.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'

/** A personal access token. */
export type TokenRow = Omit<typeof credentials.$inferSelect, 'hash'>

export interface NewToken {
  /** The token that creates it; deleting that one deletes this one too. */
  parentId: string | null
  name: string
  scopes: readonly Scope[]
  hash: Buffer
  hint: string
  expiresAt: string | null
}

const columns = sql`id, kind, user_id, parent_id, name, hint, scopes, expires_at, last_used_at, revoked_at, updated_at, created_at`

const list = statement<PageBounds & { userId: string }, TokenRow>(
  (p) => sql`
  select ${columns}
    from ${credentials}
   where user_id = ${p.userId} and kind = 'pat' and revoked_at is null
     and id < ${p.before}
   order by id desc
   limit ${p.take}`,
)

/** Lists a user's tokens, newest first. */
export async function listTokens<Item>(tx: Tx, userId: string, query: PageQuery, present: (row: TokenRow) => Item): Promise<Page<Item>> {
  return pageOf(await list(tx, { userId, ...pageBounds(query) }), query.limit, present)
}

const lockParent = statement<{ parentId: string }, { id: string }>(
  (p) => sql`
  select id
    from ${credentials}
   where id = ${p.parentId} and revoked_at is null
     for share`,
)

const insert = statement<NewToken & { userId: string }, TokenRow>(
  (p) => sql`
  insert into ${credentials} (kind, hash, user_id, parent_id, name, hint, scopes, expires_at)
  values ('pat', ${p.hash}, ${p.userId}, ${p.parentId}::uuid, ${p.name}, ${p.hint}, ${p.scopes}::text[], ${p.expiresAt}::timestamptz)
  returning ${columns}`,
)

/** Creates a token of the actor's own. Throws `invalid_token` when its parent was deleted at the same moment. */
export async function createToken(tx: Tx, actor: UserActor, token: NewToken): Promise<TokenRow> {
  const { userId } = actor
  const { parentId } = token
  return transaction(tx, async (tx) => {
    // Locked against a deletion at the same moment, which would miss the new child.
    if (parentId !== null && (await lockParent(tx, { parentId })).length === 0) throw new ApiError('invalid_token')
    const row = onlyOne(await insert(tx, { ...token, userId }))
    const { id, name, scopes, expires_at } = row
    const changes = changedFields({}, { name, scopes, expires_at })
    await recordAuditInTeams(tx, actor, { user_id: userId, action: 'token.created', target: 'token', target_id: id, changes })
    return row
  })
}

const lock = statement<{ id: string; userId: string }, { id: string }>(
  (p) => sql`
  select id
    from ${credentials}
   where id = ${p.id} and user_id = ${p.userId} and kind = 'pat' and revoked_at is null
     for update`,
)

const revokeFamily = statement<{ id: string }, { id: string }>(
  (p) => sql`
  with recursive family as (
    select ${p.id}::uuid as id
    union all
    select child.id
      from family
      join ${credentials} child on child.parent_id = family.id
  )
  update ${credentials}
     set revoked_at = now(), updated_at = now()
   where id in (select id from family) and revoked_at is null
  returning id`,
)

const recordDeletions = statement<ActorValues & { userId: string; ids: readonly string[] }, never>(
  (p) => sql`
  select record_audit_in_teams(${actorRow(p)}, ${p.userId}::uuid, 'token.deleted', 'token', id)
    from unnest(${p.ids}::uuid[]) id`,
)

/** Deletes a token of the actor's own and all tokens that it created, from the next request on. Throws `not_found`. */
export async function revokeToken(tx: Tx, actor: UserActor, id: string): Promise<void> {
  const { userId } = actor
  await transaction(tx, async (tx) => {
    // The lock waits for a child that is being created at this moment, and the next statement sees it.
    if ((await lock(tx, { id, userId })).length === 0) return notFound()
    const revoked = await revokeFamily(tx, { id })
    await recordDeletions(tx, { ...actorValues(actor), userId, ids: revoked.map((token) => token.id) })
  })
}
