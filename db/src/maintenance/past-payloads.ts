import { durations } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { events } from '../tables/events.ts'
import { teams } from '../tables/teams.ts'
import { type Events, forgetAnswers } from '../webhooks/payloads.ts'

const EVENTS_AT_ONCE = 500

interface Retention {
  team_id: string
  days: number
  /** The last event that was passed. */
  after: string | null
}

const findTeams = statement<Record<never, never>, Retention>(sql`
  select id as team_id, payload_retention_days as days, payloads_removed_to as after
    from ${teams}
   where payload_retention_days < ${sql.raw(String(durations.eventDays))}
   order by id`)

// By the key, on from where the last batch ended: what it passed is not read again.
const findPast = statement<Retention, { id: string }>(
  (p) => sql`
  select id
    from ${events}
   where team_id = ${p.team_id}
     and id > coalesce(${p.after}::uuid, '00000000-0000-0000-0000-000000000000')
     and id < uuid_at(now() - ${p.days}::int * interval '1 day')
   order by id
   limit ${sql.raw(String(EVENTS_AT_ONCE))}`,
)

// Bounds given as values keep the statement off the partitions of other days.
const remove = statement<Events, never>(
  (p) => sql`
  update ${events}
     set payload = null, expunged_at = now()
   where team_id = ${p.team_id} and id = any (${p.ids}::uuid[]) and id between ${p.first}::uuid and ${p.last}::uuid and payload is not null`,
)

const pass = statement<{ team_id: string; last: string }, never>(
  (p) => sql`
  update ${teams}
     set payloads_removed_to = greatest(payloads_removed_to, ${p.last}::uuid)
   where id = ${p.team_id}`,
)

/** Removes the payloads of the next events of a team that are past its days; returns their ids. */
function removeNext(tx: Tx, retention: Retention): Promise<string[]> {
  return transaction(tx, async (tx) => {
    const ids = (await findPast(tx, retention)).map(({ id }) => id)
    const [first, last] = [ids.at(0), ids.at(-1)]
    if (first === undefined || last === undefined) return []
    const { team_id } = retention
    await remove(tx, { team_id, ids, first, last })
    await forgetAnswers(tx, { team_id, ids, first, last })
    // Last, so that the team's row is locked shortly.
    await pass(tx, { team_id, last })
    return ids
  })
}

/**
 * Removes the payloads of events that are older than their team keeps them, with the answers to their deliveries, a batch per
 * transaction. Stops when `signal` aborts; the next run goes on there. Returns the number of events that it passed.
 */
export async function removePastPayloads(tx: Tx, { signal }: { signal?: AbortSignal } = {}): Promise<number> {
  let passed = 0
  for (const retention of await findTeams(tx, {})) {
    for (let { after } = retention; !signal?.aborted; ) {
      const ids = await removeNext(tx, { ...retention, after })
      passed += ids.length
      after = ids.at(-1) ?? after
      if (ids.length < EVENTS_AT_ONCE) break
    }
  }
  return passed
}
