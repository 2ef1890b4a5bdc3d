import type { EventData, EventType } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/tx.ts'
import { statement } from './sql/statement.ts'
import { memberships } from './tables/members.ts'
import { teams } from './tables/teams.ts'

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

const emitInTeams = statement<{ user_id: string; type: EventType; data: string }, never>(
  (p) => sql`
  select
    from ${memberships} m
    join ${teams} t on t.id = m.team_id and t.deleted_at is null
   cross join lateral emit_event(m.team_id, null, ${p.type}::text, ${p.data}::json)
   where m.user_id = ${p.user_id}`,
)

/** Writes the same event in each team of a user, in the transaction of the change. */
export async function emitEventInTeams<Type extends EventType>(
  tx: Tx,
  { user_id, type, data }: { user_id: string; type: Type; data: EventData[Type] },
): Promise<void> {
  await emitInTeams(tx, { user_id, type, data: JSON.stringify(data) })
}
