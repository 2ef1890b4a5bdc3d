import type { Tx } from '../driver/database.ts'
import { isUndone } from '../driver/errors.ts'

/** Statements under way at once on a pool: while one waits for the disk the other works. */
const MAX_FLIGHTS = 2
const MAX_ITEMS = 32

interface Item<Values, Row> {
  values: Values
  resolve: (row: Row) => void
  reject: (error: unknown) => void
}

interface Flights<Values, Row> {
  waiting: Item<Values, Row>[]
  underWay: number
}

/**
 * Makes one call of many: what arrives while statements are under way waits, and goes together in the next one, with one
 * round trip, one commit and one wait for the disk for all. Nobody waits for company. `ask` answers each item with a row,
 * in their order. A statement that failed and was undone is asked again for each item alone, so that one does not spoil it
 * for the others; one whose outcome is not known is not. In a transaction each call is a statement of its own.
 */
export function gathered<Values, Row>(ask: (tx: Tx, items: Values[]) => Promise<Row[]>): (tx: Tx, values: Values) => Promise<Row> {
  const flightsOf = new WeakMap<Tx, Flights<Values, Row>>()

  const fly = async (tx: Tx, items: Item<Values, Row>[]): Promise<void> => {
    try {
      const rows = await ask(
        tx,
        items.map(({ values }) => values),
      )
      if (rows.length !== items.length) throw new RangeError(`${items.length} items were answered by ${rows.length} rows`)
      for (const [index, row] of rows.entries()) items[index]?.resolve(row)
    } catch (error) {
      if (items.length > 1 && isUndone(error)) await Promise.all(items.map((item) => fly(tx, [item])))
      else for (const { reject } of items) reject(error)
    }
  }
  const depart = async (tx: Tx, flights: Flights<Values, Row>): Promise<void> => {
    if (flights.underWay === MAX_FLIGHTS || flights.waiting.length === 0) return
    flights.underWay += 1
    await fly(tx, flights.waiting.splice(0, MAX_ITEMS))
    flights.underWay -= 1
    void depart(tx, flights)
  }
  return (tx, values) => {
    const flights = flightsOf.get(tx) ?? { waiting: [], underWay: 0 }
    flightsOf.set(tx, flights)
    const { promise, resolve, reject } = Promise.withResolvers<Row>()
    flights.waiting.push({ values, resolve, reject })
    void depart(tx, flights)
    return promise
  }
}
