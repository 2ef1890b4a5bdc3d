import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { erased_records } from '../tables/privacy.ts'

/** Names a request. */
export interface RequestRef {
  team_id: string
  request_id: string
}

/** The records, or the events, that an erasure has found, as a list of ids. */
export function erased(p: Parameters<RequestRef>, what: 'records' | 'events', type: 'uuid' | 'text' = 'uuid'): SQL {
  return sql`(
             select record_id::${sql.raw(type)}
               from ${erased_records}
              where team_id = ${p.team_id} and request_id = ${p.request_id} and is_event = ${sql.raw(String(what === 'events'))}
           )`
}

const insert = statement<RequestRef & { ids: string[]; is_event: boolean }, never>(
  (p) => sql`
  insert into ${erased_records} (team_id, request_id, record_id, is_event)
  select ${p.team_id}::uuid, ${p.request_id}::uuid, id, ${p.is_event}::boolean
    from unnest(${p.ids}::uuid[]) id
  on conflict do nothing`,
)

/** Notes what an erasure has found: events, deliveries and the audit log name it by its id. */
export async function noteErased(tx: Tx, { team_id, request_id }: RequestRef, what: 'records' | 'events', ids: string[]): Promise<void> {
  if (ids.length > 0) await insert(tx, { team_id, request_id, ids, is_event: what === 'events' })
}

const forget = statement<RequestRef, never>(
  (p) => sql`
  delete from ${erased_records}
   where team_id = ${p.team_id} and request_id = ${p.request_id}`,
)

/** Forgets at the end of an erasure what it has found. */
export async function forgetErased(tx: Tx, { team_id, request_id }: RequestRef): Promise<void> {
  await forget(tx, { team_id, request_id })
}
