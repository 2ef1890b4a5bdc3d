import { durations } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { findProject } from '../projects.ts'
import { requireQuota } from '../quotas.ts'
import type { Actor } from '../sql/actor.ts'
import { type Changes, changedFields, recordAudit } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from '../sql/pages.ts'
import { findRecord, insertRecord, listRecords, lockRecord, removeRecord, updateRecord } from '../sql/records.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { webhook_endpoints, webhook_limits } from '../tables/webhooks.ts'
import { requireAcceptedFormat } from './accepted-formats.ts'
import { releaseHeldDeliveries } from './held-deliveries.ts'

const COLUMNS = ['url', 'events', 'description', 'project_id', 'format', 'max_per_second', 'state', 'local_trial'] as const
const HEADER_COLUMNS = ['header_names', 'header_values'] as const
/** What an endpoint's failures are counted by; an endpoint that is enabled again begins without any. */
const NO_FAILURES = { consecutive_failures: 0, failing_since: null, first_failed_at: null, last_failed_at: null }
const FAILURE_COLUMNS = ['disabled_reason', 'consecutive_failures', 'failing_since', 'first_failed_at', 'last_failed_at'] as const

export type WebhookEndpointRow = typeof webhook_endpoints.$inferSelect
export interface WebhookRef {
  team_id: string
  webhook_id: string
}

/** The columns that a caller may set; absent ones stay as they are. */
export type WebhookFields = Partial<Pick<WebhookEndpointRow, (typeof COLUMNS)[number]>>

/** The signing secret and the key pair, sealed for the endpoint's id, with what may be shown of them. */
export interface SealedSecret {
  secret: string
  secret_hint: string
  signing_key: string
  public_key: string
}

/** Headers of one's own, sealed for the endpoint's id; `header_values` is null without any. */
export type SealedHeaders = Pick<WebhookEndpointRow, 'header_names' | 'header_values'>

/** Makes an endpoint's headers from those it has, or null to leave them; with what the audit log says of the change. */
export type ChangeHeaders = (before: WebhookEndpointRow) => { sealed: SealedHeaders; changes: Changes } | null

const inTeam = (p: Parameters<{ team_id: string }>) => sql`team_id = ${p.team_id} and deleted_at is null`
const here = (p: Parameters<WebhookRef>) => sql`team_id = ${p.team_id} and id = ${p.webhook_id} and deleted_at is null`

const list = listRecords<{ team_id: string }, WebhookEndpointRow>(webhook_endpoints, inTeam)
const find = findRecord<WebhookRef, WebhookEndpointRow>(webhook_endpoints, here)
const insert = insertRecord<WebhookEndpointRow>(webhook_endpoints, [
  'team_id',
  'id',
  'project_id',
  'url',
  'description',
  'events',
  'secret',
  'secret_hint',
  'signing_key',
  'public_key',
  'format',
  'max_per_second',
  'local_trial',
  ...HEADER_COLUMNS,
])
const lock = lockRecord<WebhookRef, WebhookEndpointRow>(webhook_endpoints, here)
const update = updateRecord<WebhookRef, WebhookEndpointRow>(webhook_endpoints, [...COLUMNS, ...HEADER_COLUMNS, ...FAILURE_COLUMNS], here)
const remove = removeRecord<WebhookRef, WebhookEndpointRow>(webhook_endpoints, here)

/** Lists the webhook endpoints of a team, newest first. */
export async function listWebhooks<Item>(
  tx: Tx,
  { team_id, ...query }: PageQuery & { team_id: string },
  present: (row: WebhookEndpointRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { team_id, ...pageBounds(query) }), query.limit, present)
}

/** Finds a webhook endpoint of a team. */
export async function findWebhook(tx: Tx, ref: WebhookRef): Promise<WebhookEndpointRow> {
  return (await find(tx, ref))[0] ?? notFound()
}

/**
 * Creates an endpoint. Throws `quota_exceeded` when the plan has no room, `not_found` for a project that is not in the team,
 * `validation_error` for a format that its address does not take.
 */
export async function createWebhook(
  tx: Tx,
  actor: Actor,
  { team_id, webhook_id }: WebhookRef,
  fields: WebhookFields & SealedSecret & SealedHeaders,
): Promise<WebhookEndpointRow> {
  return transaction(tx, async (tx) => {
    await requireQuota(tx, team_id, 'webhook_endpoints')
    await requireProject(tx, team_id, fields.project_id)
    const webhook = onlyOne(await insert(tx, { local_trial: false, format: 'earshot', ...fields, team_id, id: webhook_id }))
    requireAcceptedFormat(webhook)
    if (webhook.max_per_second !== null) await keepLimit(tx, webhook)
    await recordAudit(tx, actor, { ...target(webhook), action: 'webhook.created' })
    return webhook
  })
}

/**
 * Changes an endpoint. Throws `not_found` for a project that is not in the team, `validation_error` for a format that its address
 * does not take, and what `changeHeaders` throws.
 */
export async function updateWebhook(
  tx: Tx,
  actor: Actor,
  ref: WebhookRef,
  { changeHeaders, ...fields }: WebhookFields & { changeHeaders?: ChangeHeaders },
): Promise<WebhookEndpointRow> {
  return transaction(tx, async (tx) => {
    const before = (await lock(tx, ref))[0] ?? notFound()
    await requireProject(tx, ref.team_id, fields.project_id === undefined ? before.project_id : fields.project_id)
    // Opened and sealed again under the lock, so that no change of another header is lost.
    const headers = changeHeaders?.(before)
    const isEnabled = before.state === 'disabled' && fields.state === 'active'
    const isDisabled = (fields.state ?? before.state) === 'disabled'
    const failures = { ...(isEnabled && NO_FAILURES), ...(!isDisabled && { disabled_reason: null }) }
    const after = onlyOne(await update(tx, ref, { ...fields, ...headers?.sealed, ...failures }))
    if (fields.url !== undefined || fields.format !== undefined) requireAcceptedFormat(after)
    if (after.max_per_second !== null && before.max_per_second === null) await keepLimit(tx, after)
    if (before.state !== 'active' && after.state === 'active') await releaseHeldDeliveries(tx, ref)
    const changes = { ...changedFields(before, after), ...headers?.changes }
    await recordAudit(tx, actor, { ...target(after), action: 'webhook.updated', changes })
    return after
  })
}

// It stays when the limit is removed, so that a limit that is set again knows what was sent a moment ago.
const keepLimit = statement<Pick<WebhookEndpointRow, 'team_id' | 'id'>, never>(
  (p) => sql`
  insert into ${webhook_limits} (team_id, endpoint_id)
  values (${p.team_id}, ${p.id})
      on conflict do nothing`,
)

async function requireProject(tx: Tx, team_id: string, project_id: string | null = null): Promise<void> {
  if (project_id !== null) await findProject(tx, { team_id, project_id })
}

const rotate = statement<WebhookRef & SealedSecret & { hours: number }, WebhookEndpointRow>(
  (p) => sql`
  update ${webhook_endpoints}
     set previous_secret = secret, previous_secret_expires_at = now() + ${p.hours}::int * interval '1 hour',
         secret = ${p.secret}, secret_hint = ${p.secret_hint},
         previous_signing_key = signing_key, previous_public_key = public_key,
         signing_key = ${p.signing_key}, public_key = ${p.public_key},
         updated_at = now()
   where ${here(p)}
  returning ${columnsOf(webhook_endpoints)}`,
)

/**
 * Gives an endpoint another secret and key pair; the previous ones sign too for a day. Nothing changes if it has the secret already: another
 * rotation would end the overlap with the secret before.
 */
export async function rotateWebhookSecret(
  tx: Tx,
  actor: Actor,
  { team_id, webhook_id }: WebhookRef,
  { isCurrent, ...sealed }: SealedSecret & { isCurrent: (before: WebhookEndpointRow) => boolean },
): Promise<WebhookEndpointRow> {
  return transaction(tx, async (tx) => {
    const before = (await lock(tx, { team_id, webhook_id }))[0] ?? notFound()
    if (isCurrent(before)) return before
    const values = { team_id, webhook_id, ...sealed, hours: durations.previousSecretHours }
    const webhook = onlyOne(await rotate(tx, values))
    await recordAudit(tx, actor, { ...target(webhook), action: 'webhook.secret_rotated' })
    return webhook
  })
}

/** Deletes an endpoint. Its due deliveries are dropped with it: the dispatcher asks only endpoints that exist. */
export async function deleteWebhook(tx: Tx, actor: Actor, ref: WebhookRef): Promise<void> {
  await transaction(tx, async (tx) => {
    const webhook = (await remove(tx, ref))[0] ?? notFound()
    await recordAudit(tx, actor, { ...target(webhook), action: 'webhook.deleted' })
  })
}

/** What an audit entry says of an endpoint. */
export function target({ team_id, project_id, id }: WebhookEndpointRow) {
  return { team_id, project_id, target: 'webhook', target_id: id }
}
