import type { Tx } from '../driver/database.ts'
import { isDeadlock, isUndone, unavailable } from '../driver/errors.ts'

/** Batches in flight at once on a pool: while one waits for the disk, the other works. */
const MAX_BATCHES = 2
const MAX_ITEMS = 32
/** Calls that may wait for a batch on a pool. */
const MAX_WAITING = 1_000

interface Item<Values, Row> {
  values: Values
  resolve: (row: Row) => void
  reject: (error: unknown) => void
}

interface Queue<Values, Row> {
  waiting: Item<Values, Row>[]
  inFlight: number
}

/** Runs one statement for many items; returns a row for each, in their order. */
type RunBatch<Values, Row> = (tx: Tx, items: Values[]) => Promise<Row[]>

/**
 * Turns a statement for many items into a function for one. Calls that come while two batches are in flight wait, and go
 * together in the next batch: one round trip, one commit and one wait for the disk for all. A call that comes alone does not
 * wait. In a transaction each call is a statement of its own. Throws `dependency_unavailable` when too many calls wait.
 *
 * A batch that failed and was rolled back is run again, item by item, so that one item cannot spoil it for the others; after
 * a deadlock it is run again as it is. A batch whose outcome is unknown is not run again.
 */
export function batched<Values, Row>(run: RunBatch<Values, Row>): (tx: Tx, values: Values) => Promise<Row> {
  const queues = new WeakMap<Tx, Queue<Values, Row>>()
  return (tx, values) => {
    const queue = queues.get(tx) ?? { waiting: [], inFlight: 0 }
    queues.set(tx, queue)
    if (queue.waiting.length >= MAX_WAITING) return Promise.reject(unavailable(new Error('Too many submissions wait to be stored')))
    const { promise, resolve, reject } = Promise.withResolvers<Row>()
    queue.waiting.push({ values, resolve, reject })
    void runWaiting(run, tx, queue)
    return promise
  }
}

async function runWaiting<Values, Row>(run: RunBatch<Values, Row>, tx: Tx, queue: Queue<Values, Row>): Promise<void> {
  if (queue.inFlight === MAX_BATCHES || queue.waiting.length === 0) return
  queue.inFlight += 1
  await settle(run, tx, queue.waiting.splice(0, MAX_ITEMS))
  queue.inFlight -= 1
  void runWaiting(run, tx, queue)
}

async function settle<Values, Row>(run: RunBatch<Values, Row>, tx: Tx, items: Item<Values, Row>[]): Promise<void> {
  try {
    const rows = await runAfterDeadlock(
      run,
      tx,
      items.map(({ values }) => values),
    )
    if (rows.length !== items.length) throw new RangeError(`A batch of ${items.length} items returned ${rows.length} rows`)
    for (const [index, row] of rows.entries()) items[index]?.resolve(row)
  } catch (error) {
    if (items.length > 1 && isUndone(error)) for (const item of items) await settle(run, tx, [item])
    else for (const { reject } of items) reject(error)
  }
}

/** A deadlock's victim was rolled back, and the other side goes on: the second try does not meet it. */
async function runAfterDeadlock<Values, Row>(run: RunBatch<Values, Row>, tx: Tx, items: Values[]): Promise<Row[]> {
  try {
    return await run(tx, items)
  } catch (error) {
    if (!isDeadlock(error)) throw error
    // In a transaction every further statement fails: the deadlock is the failure to report.
    return run(tx, items).catch(() => Promise.reject(error))
  }
}
