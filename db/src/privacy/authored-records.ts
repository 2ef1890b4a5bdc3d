import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Tx } from '../driver/database.ts'
import { type Parameters, type Statement, statement } from '../sql/statement.ts'
import type { PersonValues } from './person.ts'
import type { Batch, Position } from './scan.ts'

// Submissions, and videos by their drafts: records of a project with the address of an author. Their table has the alias `s`.

/** Records of a page of an export. */
const LISTED = 250

/** A record of a team. */
export interface Key {
  project_id: string
  id: string
}

/** Records of a team, as parameters. */
export type Keys = { team_id: string; project_ids: string[]; ids: string[] }

export function keysOf({ team_id }: { team_id: string }, keys: readonly Key[]): Keys {
  return { team_id, project_ids: keys.map(({ project_id }) => project_id), ids: keys.map(({ id }) => id) }
}

/** The records as a table `k`. */
export const keyed = (p: Parameters<Pick<Keys, 'project_ids' | 'ids'>>) =>
  sql`unnest(${p.project_ids}::uuid[], ${p.ids}::uuid[]) k (project_id, id)`

/** The condition that the author of a record `s` has the address. */
export const isAuthor = (p: Parameters<Pick<PersonValues, 'emails'>>) =>
  sql`s.author_email is not null and lower(s.author_email) = any (${p.emails}::text[])`

/** Finds up to `max` records whose author has the address, by the index on it. */
export function findOwnOf(table: PgTable): Statement<PersonValues & { max: number }, Key> {
  return statement(
    (p) => sql`
  select s.project_id, s.id
    from ${table} s
   where s.team_id = ${p.team_id} and ${isAuthor(p)}
   order by s.id
   limit ${p.max}`,
  )
}

/** Lists the next records whose author has the address, by the index on it. */
export function listOwnOf<Row extends { id: string }>(
  table: PgTable,
  columns: SQL,
): (tx: Tx, values: PersonValues & { position: Position }) => Promise<Batch<Row>> {
  const list = statement<PersonValues & { position: Position }, Row>(
    (p) => sql`
  select ${columns}
    from ${table} s
   where s.team_id = ${p.team_id} and ${isAuthor(p)} and s.deleted_at is null and s.id > (${p.position}::uuid[])[1]
   order by s.id
   limit ${sql.raw(String(LISTED))}`,
  )
  return async (tx, values) => {
    const rows = await list(tx, values)
    const last = rows.at(-1)
    return { rows, next: last && rows.length === LISTED ? [last.id] : null }
  }
}
