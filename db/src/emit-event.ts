import type { EventData, EventType } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/tx.ts'
import { statement } from './sql/statement.ts'

/** An event of a team, of one of its projects if it has one; `data` is the resource as the API shows it. */
export interface NewEvent<Type extends EventType> {
  team_id: string
  project_id?: string | null
  type: Type
  data: EventData[Type]
}

const emit = statement<{ team_id: string; project_id: string | null; type: EventType; data: string }, never>(
  (p) => sql`
  select emit_event(${p.team_id}::uuid, ${p.project_id}::uuid, ${p.type}::text, ${p.data}::json)`,
)

/** Writes an event, and a delivery for each endpoint that subscribes to it, in the transaction of the change. */
export async function emitEvent<Type extends EventType>(tx: Tx, { team_id, project_id = null, type, data }: NewEvent<Type>): Promise<void> {
  await emit(tx, { team_id, project_id, type, data: JSON.stringify(data) })
}
