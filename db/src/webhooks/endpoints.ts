import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Actor, type ActorValues, actorValues } from '../sql/actor.ts'
import { audited, changes } from '../sql/audit.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from '../sql/pages.ts'
import { notFound } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { projects } from '../tables/projects.ts'
import { webhook_endpoints } from '../tables/webhooks.ts'

export type WebhookEndpointRow = typeof webhook_endpoints.$inferSelect
export interface WebhookRef {
  team_id: string
  webhook_id: string
}

/** The columns that a caller may set; absent ones stay as they are. */
export type WebhookFields = Partial<Pick<WebhookEndpointRow, 'url' | 'events' | 'description' | 'project_id' | 'state' | 'local_trial'>>

/** The signing secret, sealed, with what may be shown of it. */
export interface SealedSecret {
  secret: string
  secret_hint: string
}

const { placeholder } = sql
/** Ends a statement with `not_found` when the team has no such endpoint; asked once, whatever the list finds. */
export const endpointIsThere = sql`(select require_endpoint(${placeholder('team_id')}::uuid, ${placeholder('webhook_id')}::uuid))`

const here = sql`team_id = ${placeholder('team_id')} and id = ${placeholder('webhook_id')} and deleted_at is null`
const projectIsThere = (column: ReturnType<typeof sql>) =>
  sql`(${column} is null or exists (select from ${projects} p where p.team_id = ${placeholder('team_id')} and p.id = ${column} and p.deleted_at is null))`

const list = statement<object, WebhookEndpointRow>(sql`
  select *
    from ${webhook_endpoints}
   where team_id = ${placeholder('team_id')}
     and id < ${placeholder('before')}
     and deleted_at is null
   order by id desc
   limit ${placeholder('take')}`)

export async function listWebhooks<Item>(
  tx: Tx,
  { team_id, ...query }: PageQuery & { team_id: string },
  present: (row: WebhookEndpointRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { team_id, ...pageBounds(query) }), query.limit, present)
}

const find = statement<WebhookRef, WebhookEndpointRow>(sql`
  select *
    from ${webhook_endpoints}
   where ${here}`)

export async function findWebhook(tx: Tx, ref: WebhookRef): Promise<WebhookEndpointRow> {
  return (await find(tx, ref))[0] ?? notFound()
}

const create = statement<object, WebhookEndpointRow>(sql`
  with created as (
    insert into ${webhook_endpoints} (team_id, project_id, url, description, events, secret, secret_hint, local_trial)
    select ${placeholder('team_id')}::uuid, f.project_id, f.url, f.description, f.events, f.secret, f.secret_hint, f.local_trial
      from require_room(${placeholder('team_id')}, 'webhook_endpoints'),
           jsonb_populate_record(null::webhook_endpoints, ${placeholder('fields')}::jsonb) f
     where ${projectIsThere(sql`f.project_id`)}
    returning *
  )
  select *, ${audited({ action: 'webhook.created', target: 'webhook', team: sql`team_id`, project: sql`project_id`, id: sql`id` })}
    from created`)

/** Throws `quota_exceeded` when the plan has no room, `not_found` for a project that is not in the team. */
export async function createWebhook(
  tx: Tx,
  actor: Actor,
  team_id: string,
  fields: WebhookFields & SealedSecret,
): Promise<WebhookEndpointRow> {
  const rows = await create(tx, { ...actorValues(actor), team_id, fields: JSON.stringify({ local_trial: false, ...fields }) })
  return rows[0] ?? notFound()
}

const update = statement<WebhookRef & ActorValues & { fields: string }, WebhookEndpointRow>(sql`
  with before as (
    select *
      from ${webhook_endpoints}
     where ${here}
       for no key update
  ),
  after as (
    update ${webhook_endpoints} e
       set url = f.url, events = f.events, description = f.description, project_id = f.project_id, local_trial = f.local_trial,
           state = f.state,
           disabled_reason = case when f.state = 'disabled' then e.disabled_reason end,
           consecutive_failures = case when e.state = 'disabled' and f.state = 'active' then 0 else e.consecutive_failures end,
           failing_since = case when e.state = 'disabled' and f.state = 'active' then null else e.failing_since end,
           first_failed_at = case when e.state = 'disabled' and f.state = 'active' then null else e.first_failed_at end,
           last_failed_at = case when e.state = 'disabled' and f.state = 'active' then null else e.last_failed_at end,
           updated_at = now()
      from before, jsonb_populate_record(null::webhook_endpoints, to_jsonb(before) || ${placeholder('fields')}::jsonb) f
     where e.team_id = before.team_id and e.id = before.id
       and ${projectIsThere(sql`f.project_id`)}
    returning e.*
  )
  select after.*, ${audited({
    action: 'webhook.updated',
    target: 'webhook',
    team: sql`after.team_id`,
    project: sql`after.project_id`,
    id: sql`after.id`,
    changes: changes(sql`before`, sql`after`),
  })}
    from after, before`)

export async function updateWebhook(tx: Tx, actor: Actor, ref: WebhookRef, fields: WebhookFields): Promise<WebhookEndpointRow> {
  return (await update(tx, { ...actorValues(actor), ...ref, fields: JSON.stringify(fields) }))[0] ?? notFound()
}

const rotate = statement<WebhookRef & ActorValues & SealedSecret, WebhookEndpointRow>(sql`
  with rotated as (
    update ${webhook_endpoints}
       set previous_secret = secret, previous_secret_expires_at = now() + interval '24 hours',
           secret = ${placeholder('secret')}, secret_hint = ${placeholder('secret_hint')},
           updated_at = now()
     where ${here}
    returning *
  )
  select *, ${audited({ action: 'webhook.secret_rotated', target: 'webhook', team: sql`team_id`, project: sql`project_id`, id: sql`id` })}
    from rotated`)

/** Gives the endpoint another secret; the one it had signs too for a day. */
export async function rotateWebhookSecret(tx: Tx, actor: Actor, ref: WebhookRef, secret: SealedSecret): Promise<WebhookEndpointRow> {
  return (await rotate(tx, { ...actorValues(actor), ...ref, ...secret }))[0] ?? notFound()
}

// What was due is dropped with it: the dispatcher asks only endpoints that are there.
const remove = statement<WebhookRef & ActorValues, { id: string }>(sql`
  with gone as (
    update ${webhook_endpoints}
       set deleted_at = now()
     where ${here}
    returning team_id, project_id, id
  )
  select id, ${audited({ action: 'webhook.deleted', target: 'webhook', team: sql`team_id`, project: sql`project_id`, id: sql`id` })}
    from gone`)

export async function deleteWebhook(tx: Tx, actor: Actor, ref: WebhookRef): Promise<void> {
  if ((await remove(tx, { ...actorValues(actor), ...ref })).length === 0) notFound()
}
