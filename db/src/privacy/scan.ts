import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { HIGHEST_ID, LOWEST_ID } from '../sql/pages.ts'
import { type Parameters, parametersOf, statement } from '../sql/statement.ts'

/** The most rows that one batch looks at. */
const SCAN_ROWS = 10_000

/** Where a scan goes on: the key of the last row that it has looked at. */
export type Position = string[]

/** What the next batch of a scan found, and where the scan goes on: null at the end of the table. */
export interface Batch<Row> {
  rows: Row[]
  next: Position | null
}

/** Looks at the next rows of a team in the order of their key, and returns those with a verdict. */
export type Scan<Values, Row> = (tx: Tx, values: Values & { position: Position }) => Promise<Batch<Row & { verdict: string }>>

interface ScanOptions<Values> {
  /** Of the alias `s`. */
  table: SQL
  /** The columns of its primary key after the team, all of them ids. */
  key: readonly string[]
  /** What a row is to the person, of the alias `s`; null for nothing. */
  verdict: (p: Parameters<Values>) => SQL
  /** Columns to return, of the alias `s`. */
  columns: SQL
}

/**
 * Builds a scan. Where a batch ends is looked up first, in the index alone: with both bounds as values the second statement walks the
 * primary key, and only in the partitions between them. The number of rows stands in the text: with a parameter there, the planner
 * would sort the whole table.
 */
export function scanOf<Values extends { team_id: string }, Row>({ table, key, verdict, columns }: ScanOptions<Values>): Scan<Values, Row> {
  type Bounds = { team_id: string; position: Position; upTo: Position }
  const p = parametersOf<Bounds>()
  const keyColumns = sql.raw(key.map((name) => `s.${name}`).join(', '))
  const after = sql`s.team_id = ${p.team_id} and (${keyColumns}) > (${elementsOf(p.position, key.length)})`

  const findEnd = statement<Bounds, { end: Position }>(
    () => sql`
  select array[${keyColumns}]::text[] as end
    from ${table} s
   where ${after}
   order by ${keyColumns}
  offset ${sql.raw(String(SCAN_ROWS - 1))}
   limit 1`,
  )
  const look = statement<Values & Bounds, Row & { verdict: string }>(
    () => sql`
  select s.*
    from (
      select ${columns}, ${verdict(parametersOf<Values>())} as verdict
        from ${table} s
       where ${after} and (${keyColumns}) <= (${elementsOf(p.upTo, key.length)})
       order by ${keyColumns}
    ) s
   where s.verdict is not null`,
  )
  return async (tx, values) => {
    const [last] = await findEnd(tx, { ...values, upTo: [] })
    const upTo = last?.end ?? key.map(() => HIGHEST_ID)
    return { rows: await look(tx, { ...values, upTo }), next: last?.end ?? null }
  }
}

/** The ids of a parameter that holds several. */
function elementsOf(parameter: unknown, count: number): SQL {
  return sql.join(
    Array.from({ length: count }, (_value, index) => sql`(${parameter}::uuid[])[${sql.raw(String(index + 1))}]`),
    sql`, `,
  )
}

/** Returns where a scan begins, for a key of so many ids. */
export function beginning(ids: number): Position {
  return Array.from({ length: ids }, () => LOWEST_ID)
}
