import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { events } from '../tables/events.ts'
import { erased_records } from '../tables/privacy.ts'
import { erased, noteErased, type RequestRef } from './erased-records.ts'
import { mentions, type PersonValues } from './person.ts'
import { type Position, scanOf } from './scan.ts'

const DELETED = 1_000

/**
 * The id of the record in a payload, which begins its data: `"data" : {"submission" : {"id" : "…"`. Parsing the JSON, or a regular
 * expression, would take several times as long.
 */
const recordId = sql.raw(`split_part(left(split_part(s.payload, '"data" : {', 2), 100), '"', 6)`)

/** Finds events that name an erased record or the address. */
export const scanEvents = scanOf<PersonValues & RequestRef, { id: string }>({
  table: sql`${events}`,
  key: ['id'],
  columns: sql`s.team_id, s.id`,
  verdict: (p) => sql`
               case when ${mentions(sql`s.payload`, p)} or ${recordId} in ${erased(p, 'records', 'text')} then 'own' end`,
})

/** Notes events that were found; returns how many. */
export async function noteEvents(tx: Tx, ref: RequestRef, rows: readonly { id: string }[]): Promise<number> {
  await noteErased(
    tx,
    ref,
    'events',
    rows.map(({ id }) => id),
  )
  return rows.length
}

const nextIds = statement<RequestRef & { after: string }, { record_id: string }>(
  (p) => sql`
  select record_id
    from ${erased_records}
   where team_id = ${p.team_id} and request_id = ${p.request_id} and is_event and record_id > ${p.after}::uuid
   order by record_id
   limit ${sql.raw(String(DELETED))}`,
)

// Bounds given as values keep the statement off the partitions of other days.
const remove = statement<{ team_id: string; ids: string[]; first: string; last: string }, { id: string }>(
  (p) => sql`
  delete from ${events}
   where team_id = ${p.team_id} and id = any (${p.ids}::uuid[]) and id between ${p.first}::uuid and ${p.last}::uuid
  returning id`,
)

/**
 * Deletes the next events that were found. Their deliveries stay, with the hash of what was sent; the change feed leaves their
 * positions out. Returns how many there were, and where to go on.
 */
export async function deleteEvents(tx: Tx, ref: RequestRef, [after = '']: Position): Promise<{ count: number; next: Position | null }> {
  const ids = (await nextIds(tx, { team_id: ref.team_id, request_id: ref.request_id, after })).map(({ record_id }) => record_id)
  const [first, last] = [ids.at(0), ids.at(-1)]
  if (!first || !last) return { count: 0, next: null }
  const gone = await remove(tx, { team_id: ref.team_id, ids, first, last })
  return { count: gone.length, next: ids.length === DELETED ? [last] : null }
}
