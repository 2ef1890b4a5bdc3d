import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import { until } from '../../support/until.ts'

/** After the last fault. */
const SETTLED_WITHIN_MS = 100_000
const SETTLE_POLL_MS = 500

/**
 * Waits until nothing is due or in flight and each event has its number. Where the receiver was away twice in a row, the next
 * attempt may lie a quarter of an hour ahead: its time is made to come.
 */
export async function settle({ client }: Database): Promise<void> {
  const open = () => client`
    (select from webhook_deliveries limit 1)
    union all
    (select from unnumbered_events limit 1)`
  const isSettled = async () => {
    if ((await open()).length === 0) return true
    await client`update webhook_deliveries set next_attempt_at = now() where state = 'pending' and next_attempt_at > now()`
    await delay(SETTLE_POLL_MS)
    return false
  }
  await until('all is delivered and numbered', isSettled, SETTLED_WITHIN_MS).catch(async (error) => {
    console.log(await describeOpen(client))
    throw error
  })
}

/** Describes what is left undone, for a run that fails. */
async function describeOpen(client: Database['client']): Promise<string> {
  const deliveries = await client`
    select state, trigger, attempt_count, worker_id, count(*)::int as count,
           min(next_attempt_at) - now() as first_due_in, max(next_attempt_at) - now() as last_due_in, max(lease_until) - now() as lease_ends_in
      from webhook_deliveries
     group by state, trigger, attempt_count, worker_id`
  const events = await client`select count(*)::int as count, min(uuid_extract_timestamp(event_id)) as first from unnumbered_events`
  const workers = await client`select id, now() - seen_at as last_heartbeat from webhook_workers`
  const sessions = await client`
    select application_name, state, wait_event_type, now() - xact_start as transaction_age, left(query, 80) as query
      from pg_stat_activity
     where datname = current_database() and xact_start is not null`
  return JSON.stringify({ deliveries, events, workers, sessions }, null, 1)
}
