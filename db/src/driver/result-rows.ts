type Values = readonly unknown[]
type Columns = readonly { name: string }[]

/** The driver's result when it is asked for values: one array per row, and the columns beside them. */
export interface DriverResult {
  [index: number]: Values
  length: number
  columns: Columns
}

type MakeRow = (values: Values) => unknown

/** By the columns of a prepared statement, which the driver keeps as long as the statement. */
const known = new WeakMap<Columns, MakeRow>()

/**
 * Takes the rows out of the driver's result, as objects with the columns' names. Empties the result, for two reasons.
 * The driver keeps each result reachable until the next full garbage collection: it assigns closures to properties of each
 * query, and V8 allocates those in the old space. And after a statement that failed between two rows the driver's next
 * result starts with holes.
 */
export function takeRows<Row>(result: DriverResult): Row[] {
  const rows: Row[] = []
  if (result.length > 0) {
    const makeRow = makerOf(result.columns)
    for (let index = 0; index < result.length; index += 1) {
      const values = result[index]
      // The statement's caller types its rows.
      if (values !== undefined) rows.push(makeRow(values) as Row)
    }
  }
  result.length = 0
  return rows
}

/**
 * Returns an object literal that is compiled for the columns. Setting the properties one by one, by names from a list, takes
 * V8 longer than all the rest that Earshot does for a page of records (ADR 24).
 */
function makerOf(columns: Columns): MakeRow {
  const makeRow = known.get(columns) ?? compile(columns)
  known.set(columns, makeRow)
  return makeRow
}

/** The names come from our own statements; JSON quotes them. A plain `__proto__` would set the prototype. */
function compile(columns: Columns): MakeRow {
  const fields = columns.map(({ name }, index) => `${name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)}: values[${index}]`)
  return new Function('values', `return { ${fields.join(', ')} }`) as MakeRow
}
