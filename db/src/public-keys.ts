import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { type Actor, type ActorValues, actorValues } from './sql/actor.ts'
import { audited } from './sql/audit.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { public_keys } from './tables/public-keys.ts'

export type PublicKeyRow = typeof public_keys.$inferSelect
interface ProjectPlace {
  team_id: string
  project_id: string
}

const { placeholder } = sql
const inProject = sql`team_id = ${placeholder('team_id')} and project_id = ${placeholder('project_id')} and revoked_at is null`

const list = statement<object, PublicKeyRow>(sql`
  select *
    from ${public_keys}
   where ${inProject}
     and id < ${placeholder('before')}
   order by id desc
   limit ${placeholder('take')}`)

export async function listPublicKeys<Item>(
  tx: Tx,
  { team_id, project_id, ...query }: PageQuery & ProjectPlace,
  present: (row: PublicKeyRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { team_id, project_id, ...pageBounds(query) }), query.limit, present)
}

const create = statement<object, PublicKeyRow>(sql`
  with created as (
    insert into ${public_keys} (team_id, project_id, key, label)
    values (${placeholder('team_id')}, ${placeholder('project_id')}, ${placeholder('key')}, ${placeholder('label')})
    returning *
  )
  select *, ${audited({ action: 'public_key.created', target: 'public_key', team: sql`team_id`, project: sql`project_id`, id: sql`id` })}
    from created`)

export async function createPublicKey(
  tx: Tx,
  actor: Actor,
  place: ProjectPlace,
  key: { key: string; label: string | null },
): Promise<PublicKeyRow> {
  return onlyOne(await create(tx, { ...actorValues(actor), ...place, ...key }))
}

const revoke = statement<ProjectPlace & ActorValues & { public_key_id: string }, { id: string }>(sql`
  with gone as (
    update ${public_keys}
       set revoked_at = now(), updated_at = now()
     where ${inProject}
       and id = ${placeholder('public_key_id')}
    returning team_id, project_id, id
  )
  select id, ${audited({ action: 'public_key.deleted', target: 'public_key', team: sql`team_id`, project: sql`project_id`, id: sql`id` })}
    from gone`)

/** The key stops working with the next request. */
export async function revokePublicKey(tx: Tx, actor: Actor, ref: ProjectPlace & { public_key_id: string }): Promise<void> {
  if ((await revoke(tx, { ...actorValues(actor), ...ref })).length === 0) notFound()
}
