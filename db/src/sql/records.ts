import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Tx } from '../driver/tx.ts'
import { columnsOf } from './columns.ts'
import type { PageBounds } from './pages.ts'
import { type Parameters, parametersOf, type Statement, statement } from './statement.ts'

/** Which rows of a table a statement is about, written over its parameters. */
export type Condition<Values> = (p: Parameters<Values>) => SQL

/** Lists the rows that meet a condition: a page of them, newest first. */
export function listRecords<Values extends object, Row>(table: PgTable, where: Condition<Values>): Statement<Values & PageBounds, Row> {
  const page = parametersOf<PageBounds>()
  return statement(
    () => sql`
  select ${columnsOf(table)}
    from ${table}
   where ${where(parametersOf<Values>())}
     and id < ${page.before}
   order by id desc
   limit ${page.take}`,
  )
}

/** Finds the row that meets a condition. */
export function findRecord<Values extends object, Row>(table: PgTable, where: Condition<Values>): Statement<Values, Row> {
  return statement(
    (p) => sql`
  select ${columnsOf(table)}
    from ${table}
   where ${where(p)}`,
  )
}

/** Finds the row and locks it until the end of the transaction: the image before a change. */
export function lockRecord<Values extends object, Row>(table: PgTable, where: Condition<Values>): Statement<Values, Row> {
  return statement(
    (p) => sql`
  select ${columnsOf(table)}
    from ${table}
   where ${where(p)}
     for no key update`,
  )
}

/** Inserts a row with these columns; `onConflict` is the clause that says what happens when it is there already. */
export function insertRecord<Row>(
  table: PgTable,
  columns: readonly (keyof Row & string)[],
  { onConflict = sql`` }: { onConflict?: SQL } = {},
): (tx: Tx, fields: Partial<Row>) => Promise<Row[]> {
  const insert = statement<{ fields: string }, Row>(
    (p) => sql`
  insert into ${table} (${names(columns)})
  select ${names(columns)}
    from jsonb_populate_record(null::${table}, ${p.fields}::jsonb)
  ${onConflict}
  returning ${columnsOf(table)}`,
  )
  return (tx, fields) => insert(tx, { fields: toJson(fields) })
}

/** Changes those of these columns that the fields name; the others stay as they are. */
export function updateRecord<Values extends object, Row>(
  table: PgTable,
  columns: readonly (keyof Row & string)[],
  where: Condition<Values>,
): (tx: Tx, values: Values, fields: { [Name in keyof Row]?: Row[Name] | undefined }) => Promise<Row[]> {
  const p = parametersOf<{ fields: string }>()
  const update = statement<Values & { fields: string }, Row>(
    () => sql`
  update ${table} r
     set (${names(columns)}) = (
           select ${names(columns)}
             from jsonb_populate_record(r, ${p.fields}::jsonb)
         ),
         -- Later than before also within a millisecond, which is what callers see of it, and while another change was waited for.
         updated_at = greatest(now(), updated_at + interval '1 millisecond')
   where ${where(parametersOf<Values>())}
  returning ${columnsOf(table, 'r')}`,
  )
  return (tx, values, fields) => update(tx, { ...values, fields: toJson(fields) })
}

/** Makes a row invisible at once; a job removes it for good. */
export function removeRecord<Values extends object, Row>(table: PgTable, where: Condition<Values>): Statement<Values, Row> {
  return statement(
    (p) => sql`
  update ${table}
     set deleted_at = now()
   where ${where(p)}
  returning ${columnsOf(table)}`,
  )
}

/** Returns fields as JSON, with bytes in the text form of `bytea`. */
function toJson(fields: object): string {
  const texts = Object.entries(fields).map(([name, value]) => [name, Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value])
  return JSON.stringify(Object.fromEntries(texts))
}

function names(columns: readonly string[]): SQL {
  return sql.join(
    columns.map((name) => sql.identifier(name)),
    sql`, `,
  )
}
