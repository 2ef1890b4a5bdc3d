import { type SQL, sql } from 'drizzle-orm'
import { actorParameter } from './actor.ts'

interface AuditedChange {
  action: string
  target: string
  team: SQL
  project?: SQL
  id: SQL
  changes?: SQL
}

/** The audit line of a change, as one more column of the statement that makes it; goes with `actorValues`. */
export function audited({ action, target, team, project, id, changes }: AuditedChange): SQL {
  return sql`record_audit(${actorParameter}, ${team}, ${project ?? sql`null`}, ${sql.raw(`'${action}'`)}, ${sql.raw(`'${target}'`)}, ${id}, ${changes ?? sql`'{}'::jsonb`}) as audited`
}

/** What differs between two rows of the statement, for the audit line. */
export function changes(before: SQL, after: SQL): SQL {
  return sql`changed_fields(to_jsonb(${before}), to_jsonb(${after}))`
}
