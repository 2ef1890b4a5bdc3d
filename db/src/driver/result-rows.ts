type Values = readonly unknown[]
type Columns = readonly { name: string }[]

/** The driver's result when it is asked for values: one array per row, and the columns beside them. */
export interface DriverResult {
  [index: number]: Values
  length: number
  columns: Columns
}

/** A row without values, by the columns of a prepared statement, which the driver keeps as long as the statement. */
const templates = new WeakMap<Columns, Record<string, unknown>>()

/**
 * Takes the rows out of the driver's result, as objects with the columns' names. Empties the result, for two reasons.
 * The driver keeps each result reachable until the next full garbage collection: it assigns closures to properties of each
 * query, and V8 allocates those in the old space. And after a statement that failed between two rows the driver's next
 * result starts with holes.
 */
export function takeRows<Row>(result: DriverResult): Row[] {
  const rows: Row[] = []
  if (result.length > 0) {
    const { columns } = result
    const template = templateOf(columns)
    for (let index = 0; index < result.length; index += 1) {
      const values = result[index]
      // The statement's caller types its rows.
      if (values !== undefined) rows.push(makeRow(template, columns, values) as Row)
    }
  }
  result.length = 0
  return rows
}

/** A copy of the template has the template's hidden class, so that rows of many columns do not become hash tables. */
function makeRow(template: Record<string, unknown>, columns: Columns, values: Values): object {
  const row = { ...template }
  let index = 0
  for (const { name } of columns) {
    row[name] = values[index]
    index += 1
  }
  return row
}

function templateOf(columns: Columns): Record<string, unknown> {
  const known = templates.get(columns)
  if (known) return known
  const template = Object.fromEntries(columns.map(({ name }) => [name, null]))
  templates.set(columns, template)
  return template
}
