type Values = readonly unknown[]
type Columns = readonly { name: string }[]
type MakeRow = (values: Values) => unknown

/** What the driver gives when it is asked for values: an array for each row, and the names beside. */
export interface Answer {
  [index: number]: Values
  length: number
  columns: Columns
}

/** By the columns of a prepared statement, which the driver keeps for as long as the statement. */
const known = new WeakMap<Columns, MakeRow>()
/** By the literal: one for all sessions, and for statements that are not prepared, whose columns are new each time. */
const compiled = new Map<string, MakeRow>()

/**
 * Takes the rows out of the driver's answer, as objects with the columns' names. The answer is emptied, for two reasons.
 * The driver keeps what it answered reachable until the next collection of all garbage: it assigns a function to a property
 * of each query, and V8 makes such functions in the old space. And after a statement that failed in the middle of its rows
 * the next one's answer begins with holes.
 */
export function takeRows<Row>(answer: Answer): Row[] {
  const rows: Row[] = []
  if (answer.length > 0) {
    const make = makerOf(answer.columns)
    for (let index = 0; index < answer.length; index += 1) {
      const values = answer[index]
      if (values !== undefined) rows.push(make(values) as Row)
    }
  }
  answer.length = 0
  return rows
}

/**
 * An object literal, compiled for the columns. The driver's own objects get one property after the other by a name that is
 * not known before: V8 makes tables of hashes of those, which cost ten times as much to make and several times as much to read.
 */
function makerOf(columns: Columns): MakeRow {
  const make = known.get(columns) ?? compiledFor(columns.map(({ name }, index) => `${JSON.stringify(name)}: values[${index}]`).join(', '))
  known.set(columns, make)
  return make
}

function compiledFor(fields: string): MakeRow {
  // What it returns is an object of the columns, which the statement's caller types.
  const make = compiled.get(fields) ?? (new Function('values', `return { ${fields} }`) as MakeRow)
  compiled.set(fields, make)
  return make
}
