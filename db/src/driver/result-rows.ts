type Values = readonly unknown[]
type Columns = readonly { name: string }[]

/** The driver's result when it is asked for values: one array per row, and the columns beside them. */
export interface DriverResult {
  [index: number]: Values
  length: number
  columns: Columns
}

/** The names of the columns, and a row without values. */
interface Shape {
  names: readonly string[]
  template: Record<string, unknown>
}

/** By the columns of a prepared statement, which the driver keeps as long as the statement. */
const shapes = new WeakMap<Columns, Shape>()

/**
 * Takes the rows out of the driver's result, as objects with the columns' names. Empties the result, for two reasons.
 * The driver keeps each result reachable until the next full garbage collection: it assigns closures to properties of each
 * query, and V8 allocates those in the old space. And after a statement that failed between two rows the driver's next
 * result starts with holes.
 */
export function takeRows<Row>(result: DriverResult): Row[] {
  const rows: Row[] = []
  if (result.length > 0) {
    const shape = shapeOf(result.columns)
    for (let index = 0; index < result.length; index += 1) {
      const values = result[index]
      // The statement's caller types its rows.
      if (values !== undefined) rows.push(makeRow(shape, values) as Row)
    }
  }
  result.length = 0
  return rows
}

/** A copy of the template has the template's hidden class, so that rows of many columns do not become hash tables. */
function makeRow({ names, template }: Shape, values: Values): object {
  const row = { ...template }
  let index = 0
  for (const name of names) {
    row[name] = values[index]
    index += 1
  }
  return row
}

function shapeOf(columns: Columns): Shape {
  const known = shapes.get(columns)
  if (known) return known
  const names = columns.map(({ name }) => name)
  const shape = { names, template: Object.fromEntries(names.map((name) => [name, null])) }
  shapes.set(columns, shape)
  return shape
}
