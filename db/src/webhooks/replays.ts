import { sizes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Actor, type ActorValues, actorParameter, actorValues } from '../sql/actor.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import type { WebhookRef } from './endpoints.ts'

const BATCH_DELIVERIES = 500

export interface ReplayRange {
  from: string
  to: string
  /** All that the endpoint wants, if left out. */
  events?: readonly string[] | undefined
}

interface Replay {
  replay_id: string
  /** How many events it sends. */
  matched: number
}

const { placeholder } = sql

const begin = statement<WebhookRef & ActorValues & { from: string; to: string; types: readonly string[] | null }, Replay>(sql`
  select *
    from begin_replay(
      ${actorParameter}, ${placeholder('team_id')}::uuid, ${placeholder('webhook_id')}::uuid,
      ${placeholder('from')}::timestamptz, ${placeholder('to')}::timestamptz, ${placeholder('types')}::text[],
      ${sql.raw(String(sizes.replayEvents))})`)

/**
 * Counts the events of a time that the endpoint wants, and queues the job that sends them once more. Throws `not_found`,
 * `state_conflict` while the endpoint is not active, `validation_error` for a time with too many events.
 */
export async function beginReplay(
  tx: Tx,
  actor: Actor,
  { team_id, webhook_id, from, to, events = [] }: WebhookRef & ReplayRange,
): Promise<Replay> {
  const types = events.length > 0 ? events : null
  return onlyOne(await begin(tx, { ...actorValues(actor), team_id, webhook_id, from, to, types }))
}

const proceed = statement<{ team_id: string; replay_id: string; max: number }, { has_more: boolean }>(sql`
  select continue_replay(${placeholder('team_id')}::uuid, ${placeholder('replay_id')}::uuid, ${placeholder('max')}::int) as has_more`)

/** Makes the next deliveries of a replay; tells whether there are more to make. */
export async function continueReplay(
  tx: Tx,
  ref: { team_id: string; replay_id: string },
  { max = BATCH_DELIVERIES }: { max?: number } = {},
): Promise<boolean> {
  return onlyOne(await proceed(tx, { ...ref, max })).has_more
}
