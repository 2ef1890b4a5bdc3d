import { is, Placeholder, SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Tx } from '../driver/tx.ts'

const dialect = new PgDialect()

/** A statement of the product: its text is built with its first use, and prepared by PostgreSQL once on each connection. */
export type Statement<Values, Row> = (tx: Tx, values: Values) => Promise<Row[]>

/** The parameters of a statement by name. A name that its values do not have does not compile. */
export type Parameters<Values> = { readonly [Name in keyof Values]-?: Placeholder }

/** Builds the text of a statement from its parameters. */
type Build<Values> = (parameters: Parameters<Values>) => SQL

/** What a statement is made from. One without parameters needs no function. */
type Source<Values> = Build<Values> | (keyof Values extends never ? SQL : never)

/**
 * Builds a statement.
 *
 * @example const find = statement<{ id: string }, UserRow>((p) => sql`select ${columnsOf(users)} from ${users} where id = ${p.id}`)
 */
export function statement<Values extends object, Row>(source: Source<Values>): Statement<Values, Row> {
  let compiled: ReturnType<typeof compile<Values>> | undefined
  return (tx, values) => {
    compiled ??= compile(source)
    return tx.run<Row>(
      compiled.text,
      compiled.readers.map((read) => read(values)),
    )
  }
}

/** Returns the text of a statement, and how each of its parameters is read from the values. */
function compile<Values extends object>(source: Source<Values>) {
  const { sql: text, params } = dialect.sqlToQuery(source instanceof SQL ? source : source(parametersOf<Values>()))
  return { text, readers: params.map(readerOf<Values>) }
}

/** Returns how a parameter is read from the values: by its name, or always the same for a constant of the text. */
function readerOf<Values extends object>(param: unknown): (values: Values) => unknown {
  if (!is(param, Placeholder)) return () => param
  // The type of the parameters allows only the names of the values.
  const name = param.name as keyof Values
  return (values) => values[name]
}

/** One statement for each combination of a set of filters, built when it is first needed. */
export function statementsByKey<Values extends object, Row>(
  build: (key: string, parameters: Parameters<Values>) => SQL,
): (key: string) => Statement<Values, Row> {
  const built = new Map<string, Statement<Values, Row>>()
  return (key) => {
    const known = built.get(key)
    if (known) return known
    const made = statement<Values, Row>((parameters) => build(key, parameters))
    built.set(key, made)
    return made
  }
}

/** Returns the parameters of a statement, for fragments that several statements share. Their type allows only the names of the values. */
export function parametersOf<Values>(): Parameters<Values> {
  return new Proxy({}, { get: (_target, name) => sql.placeholder(String(name)) }) as Parameters<Values>
}
