import { ApiError, eventTypes, sizes } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { enqueue } from '../jobs.ts'
import { lockPlan, quotaExceeded } from '../quotas.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import { onlyOne } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { events } from '../tables/events.ts'
import { webhook_deliveries, webhook_endpoints, webhook_replays } from '../tables/webhooks.ts'
import { requireActive } from './deliveries.ts'
import { findWebhook, target, type WebhookRef } from './endpoints.ts'

const BATCH_DELIVERIES = 500

export interface ReplayRange {
  from: string
  to: string
  /** All types that the endpoint subscribes to, if left out. */
  events?: readonly string[] | undefined
}

/** A replay that has begun. */
interface Replay {
  replay_id: string
  /** How many events it sends. */
  matched: number
}

type ReplayRow = typeof webhook_replays.$inferSelect
type ReplayFilters = Pick<ReplayRow, 'project_id' | 'types'>

/** Whether a replay sends an event `v`: by the filters of its endpoint, null for any, never one of `webhooks.test`, and none without a payload. */
const isReplayed = (p: Parameters<ReplayFilters>): SQL => sql`
           v.type <> 'webhook.test' and v.payload is not null
           and (${p.types}::text[] is null or v.type = any (${p.types}::text[]))
           and (${p.project_id}::uuid is null or v.project_id is not distinct from ${p.project_id}::uuid)`

// The end is at most the present: events from now on are delivered anyway.
const readBounds = statement<{ from: string; to: string }, Pick<ReplayRow, 'after_event_id' | 'before_event_id'>>(
  (p) => sql`
  select uuid_at(${p.from}::timestamptz) as after_event_id,
         uuid_at(least(${p.to}::timestamptz, clock_timestamp() + interval '1 millisecond')) as before_event_id`,
)

type Range = ReplayFilters & Pick<ReplayRow, 'team_id' | 'after_event_id' | 'before_event_id'>

// Reads only the events of the range, by the key of their table, and stops at the first one too many.
const countEvents = statement<Range & { take: number }, { events: number; matched: number }>(
  (p) => sql`
  select count(*)::int as events,
         count(*) filter (where ${isReplayed(p)})::int as matched
    from (
      select type, project_id, payload
        from ${events}
       where team_id = ${p.team_id} and id > ${p.after_event_id} and id < ${p.before_event_id}
       limit ${p.take}
    ) v`,
)

// Unique by endpoint: while one is under way, or another caller begins one, none is inserted.
const insert = statement<Range & { endpoint_id: string; remaining: number }, { id: string }>(
  (p) => sql`
  insert into ${webhook_replays} (team_id, endpoint_id, project_id, types, after_event_id, before_event_id, remaining)
  values (${p.team_id}, ${p.endpoint_id}, ${p.project_id}, ${p.types}, ${p.after_event_id}, ${p.before_event_id}, ${p.remaining})
  on conflict (team_id, endpoint_id) do nothing
  returning id`,
)

// Of this team alone, by the index of deliveries that replays made, and no more of them than the budget.
const countUnfinished = statement<{ team_id: string; take: number }, { unfinished: number }>(
  (p) => sql`
  select ((
           select count(*)
             from (select from ${webhook_deliveries} where team_id = ${p.team_id} and replay_id is not null limit ${p.take}) made
         ) + (
           select coalesce(sum(remaining), 0)
             from ${webhook_replays}
            where team_id = ${p.team_id}
         ))::int as unfinished`,
)

/**
 * Throws `quota_exceeded` when a team's replays would have too many unfinished deliveries. The team's row is locked, so that
 * replays that begin together are counted exactly.
 */
async function requireBudget(tx: Tx, team_id: string, matched: number): Promise<void> {
  await lockPlan(tx, team_id)
  const limit = sizes.replayDeliveries
  const { unfinished: used } = onlyOne(await countUnfinished(tx, { team_id, take: limit + 1 }))
  if (used + matched > limit) throw quotaExceeded({ quota: 'replay_deliveries', limit, used, resets_at: null })
}

/**
 * Counts the events of a time range that the endpoint subscribes to, and queues the job that sends them once more. Throws
 * `not_found`, `state_conflict` while the endpoint is not active or has a replay under way, `validation_error` for a range with
 * too many events, `quota_exceeded`.
 */
export async function beginReplay(
  tx: Tx,
  actor: Actor,
  { team_id, webhook_id, from, to, events: wanted = [] }: WebhookRef & ReplayRange,
): Promise<Replay> {
  return transaction(tx, async (tx) => {
    const webhook = await findWebhook(tx, { team_id, webhook_id })
    requireActive(webhook)
    const bounds = onlyOne(await readBounds(tx, { from, to }))
    const range = { team_id, ...bounds, project_id: webhook.project_id, types: typesOf(webhook.events, wanted) }
    const { events, matched } = onlyOne(await countEvents(tx, { ...range, take: sizes.replayEvents + 1 }))
    if (events > sizes.replayEvents) tooManyEvents()
    await requireBudget(tx, team_id, matched)
    const [begun] = await insert(tx, { ...range, endpoint_id: webhook_id, remaining: matched })
    if (!begun) throw new ApiError('state_conflict', { current_state: 'replaying' })
    const { id: replay_id } = begun
    await enqueue(tx, 'replay', { team_id, replay_id })
    await recordAudit(tx, actor, { ...target(webhook), action: 'webhook.replayed' })
    return { replay_id, matched }
  })
}

/** Returns the types that are both subscribed to, as `emit_events` understands it, and wanted: without any, all are. */
function typesOf(subscribed: readonly string[], wanted: readonly string[]): string[] {
  const isSubscribed = (type: string) => subscribed.includes(type) || (subscribed.includes('*') && !type.startsWith('webhook.'))
  return eventTypes.filter((type) => isSubscribed(type) && (wanted.length === 0 || wanted.includes(type)))
}

function tooManyEvents(): never {
  const detail = `contains more than ${sizes.replayEvents} events; replay a shorter time range`
  throw new ApiError('validation_error', { errors: [{ field: 'to', code: 'too_many_events', detail }] })
}

interface ReplayRef {
  team_id: string
  replay_id: string
}

const here = (p: Parameters<ReplayRef>) => sql`team_id = ${p.team_id} and id = ${p.replay_id}`

const lock = statement<ReplayRef, ReplayRow>(
  (p) => sql`
  select ${columnsOf(webhook_replays)}
    from ${webhook_replays}
   where ${here(p)}
     for update`,
)

// A deleted endpoint gets no more. Payloads are held until the deliveries are there, as for one that is redelivered.
const insertBatch = statement<ReplayRow & { max: number }, { made: number; last_event_id: string | null }>(
  (p) => sql`
  with made as (
    insert into ${webhook_deliveries} (team_id, endpoint_id, event_id, event_type, payload_sha256, trigger, replay_id)
    select v.team_id, ${p.endpoint_id}::uuid, v.id, v.type, v.payload_sha256, 'replay', ${p.id}::uuid
      from ${events} v
     where v.team_id = ${p.team_id} and v.id > ${p.after_event_id} and v.id < ${p.before_event_id}
       and ${isReplayed(p)}
       and exists (select from ${webhook_endpoints} e where e.team_id = ${p.team_id} and e.id = ${p.endpoint_id} and e.deleted_at is null)
     order by v.id
     limit ${p.max}
       for share of v
    returning event_id
  )
  select count(*)::int as made, (array_agg(event_id order by event_id desc))[1] as last_event_id
    from made`,
)

const advance = statement<ReplayRef & { last_event_id: string; made: number }, never>(
  (p) => sql`
  update ${webhook_replays}
     set after_event_id = ${p.last_event_id}, remaining = greatest(0, remaining - ${p.made})
   where ${here(p)}`,
)

const finish = statement<ReplayRef, never>(
  (p) => sql`
  delete from ${webhook_replays}
   where ${here(p)}`,
)

/**
 * Makes the next deliveries of a replay and notes how far it came, both or neither, so that no event is left out or sent
 * twice when a process dies. Returns whether there are more to make.
 */
export async function continueReplay(tx: Tx, ref: ReplayRef, { max = BATCH_DELIVERIES }: { max?: number } = {}): Promise<boolean> {
  return transaction(tx, async (tx) => {
    // A second process at the same job, as after a pause, waits here and continues where the first one ended.
    const [replay] = await lock(tx, ref)
    if (!replay) return false
    const { made, last_event_id } = onlyOne(await insertBatch(tx, { ...replay, max }))
    if (last_event_id === null || made < max) {
      await finish(tx, ref)
      return false
    }
    await advance(tx, { ...ref, last_event_id, made })
    return true
  })
}
