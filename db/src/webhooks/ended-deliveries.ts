import { durations } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { webhook_attempts, webhook_deliveries, webhook_delivery_history } from '../tables/webhooks.ts'
import { LOST } from './attempt-codes.ts'
import { noteAttempts } from './attempt-figures.ts'

/** The most deliveries that one statement ends, and whose attempts one statement empties. */
export const ENDED_AT_ONCE = 1_000
const EMPTIED_AT_ONCE = 500

/** A delivery that was ended. */
export interface EndedDelivery {
  team_id: string
  attempt_id: string | null
  was_sending: boolean
}

/**
 * Ends unfinished deliveries `d` that meet a condition: pending ones are skipped. One that is being sent is ended too: its row is
 * gone, so the result, with what the receiver answers, is stale and is not written. Locked in the order in which results are written.
 */
export const endUnfinished = (condition: SQL) => sql`
  with ended as (
    delete from ${webhook_deliveries}
     where ctid = any (array(
       select d.ctid
         from ${webhook_deliveries} d
        where ${condition}
        order by d.id
        limit ${sql.raw(String(ENDED_AT_ONCE))}
          for update
     ))
    returning *
  ),
  kept as (
    insert into ${webhook_delivery_history} (
           team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count, attempt_id,
           replay_of, replay_id, finished_at)
    select team_id, id, endpoint_id, event_id, event_type, payload_sha256, case when state = 'sending' then 'failed' else 'skipped' end,
           trigger, attempt_count, attempt_id, replay_of, replay_id, now()
      from ended
     where id >= uuid_at(now() - ${sql.raw(`interval '${durations.deliveryDays} days'`)})
  )
  select team_id, attempt_id, state = 'sending' as was_sending
    from ended`

const interrupt = statement<{ team_id: string; ids: string[]; first: string; last: string; detail: string }, never>(
  (p) => sql`
  with recorded as (
    update ${webhook_attempts}
       set finished_at = now(), error_code = 'interrupted', error_detail = ${p.detail}
     where team_id = ${p.team_id} and id = any (${p.ids}::uuid[]) and id between ${p.first}::uuid and ${p.last}::uuid and finished_at is null
    returning team_id, endpoint_id, id as attempt_id, ${sql.raw(String(LOST))}::smallint as code
  )${noteAttempts(sql`recorded`)}`,
)

/** Closes the attempts that were in flight when their deliveries were ended. */
export async function interruptAttempts(tx: Tx, team_id: string, ended: readonly EndedDelivery[], detail: string): Promise<void> {
  const ids = ended.flatMap(({ attempt_id, was_sending }) => (was_sending && attempt_id !== null ? [attempt_id] : [])).sort()
  const [first, last] = [ids.at(0), ids.at(-1)]
  if (first && last) await interrupt(tx, { team_id, ids, first, last, detail })
}

// By the deliveries, never by ids of attempts that come from a join (db/src/dispatch/complete.ts). No attempt is older than its
// delivery; a minute is for the clock.
const empty = statement<{ team_id: string; ids: string[]; first: string }, { count: number }>(
  (p) => sql`
  with emptied as (
    update ${webhook_attempts}
       set response_headers = null, response_body = null, error_detail = null
     where team_id = ${p.team_id} and delivery_id = any (${p.ids}::uuid[])
       and id >= uuid_at(uuid_extract_timestamp(${p.first}::uuid) - interval '1 minute')
       and num_nonnulls(response_headers, response_body, error_detail) > 0
    returning 1
  )
  select count(*)::int as count
    from emptied`,
)

/** Empties what receivers answered to deliveries; returns of how many attempts. */
export async function emptyAnswersTo(tx: Tx, team_id: string, deliveryIds: readonly string[]): Promise<number> {
  const sorted = deliveryIds.toSorted()
  let attempts = 0
  for (let start = 0; start < sorted.length; start += EMPTIED_AT_ONCE) {
    const ids = sorted.slice(start, start + EMPTIED_AT_ONCE)
    attempts += onlyOne(await empty(tx, { team_id, ids, first: ids[0] ?? '' })).count
  }
  return attempts
}
