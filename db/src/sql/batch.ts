import { setTimeout as delay } from 'node:timers/promises'
import type { Tx } from '../driver/database.ts'
import { isDeadlock, isInFailedTransaction, isUndone } from '../driver/errors.ts'
import { createWaitingLine, type WaitingLine } from '../driver/waiting-line.ts'

const MAX_ITEMS = 32
/** Calls that may wait for a batch on a pool. */
const MAX_WAITING = 1_000
/** Before a deadlock's victim is run again: the other side may be slow to wake up, and would be met again. */
const DEADLOCK_PAUSES_MS = [100, 300, 900]

interface Item<Values, Row> {
  values: Values
  tx: Tx
  resolve: (row: Row) => void
  reject: (error: unknown) => void
}

interface Queue<Values, Row> {
  waiting: WaitingLine<Item<Values, Row>>
  inFlight: number
  /** When the last batch ended, by `performance.now()`. */
  endedMs: number
  timer?: NodeJS.Timeout | undefined
}

interface BatchOptions {
  /** In flight at once on a pool; two by default: while one waits for the disk, the other works. */
  maxBatches?: number
  /** After a batch has ended, the next one waits until it has `items`, and for `ms` at most; by default it does not wait. */
  gather?: { items: number; ms: number }
}

/** Runs one statement for many items; returns a row for each, in their order. */
type RunBatch<Values, Row> = (tx: Tx, items: Values[]) => Promise<Row[]>

/**
 * Turns a statement for many items into a function for one. Calls that come while `maxBatches` are in flight wait, and go
 * together in the next batch: one round trip, one commit and one wait for the disk for all. A call that comes alone does not
 * wait, unless it comes within `gather.ms` of the end of the last batch. In a transaction each call is a statement of its own.
 * Throws `dependency_unavailable` when too many calls wait, or when a request's patience ends before its turn.
 *
 * A batch that failed and was rolled back is run again, item by item, so that one item cannot spoil it for the others; after
 * a deadlock it is run again as it is, up to three times. A batch whose outcome is unknown is not run again.
 */
export function batched<Values, Row>(
  run: RunBatch<Values, Row>,
  { maxBatches = 2, gather = { items: 1, ms: 0 } }: BatchOptions = {},
): (tx: Tx, values: Values) => Promise<Row> {
  const queues = new WeakMap<Tx, Queue<Values, Row>>()
  const runWaiting = async (tx: Tx, queue: Queue<Values, Row>): Promise<void> => {
    if (queue.inFlight === maxBatches || queue.waiting.size === 0) return
    const leftMs = queue.waiting.size < gather.items ? queue.endedMs + gather.ms - performance.now() : 0
    if (leftMs > 0) {
      queue.timer ??= setTimeout(() => {
        queue.timer = undefined
        void runWaiting(tx, queue)
      }, leftMs)
      return
    }
    const items = takeUpTo(MAX_ITEMS, queue.waiting)
    if (items.length === 0) return
    queue.inFlight += 1
    await settle(run, executorOf(items, tx), items)
    queue.inFlight -= 1
    queue.endedMs = performance.now()
    void runWaiting(tx, queue)
  }
  return async (given, values) => {
    const { shared: tx = given, patience } = given.request ?? {}
    const queue = queues.get(tx) ?? { waiting: createWaitingLine({ max: MAX_WAITING }), inFlight: 0, endedMs: Number.NEGATIVE_INFINITY }
    queues.set(tx, queue)
    const { promise, resolve, reject } = Promise.withResolvers<Row>()
    queue.waiting.add({ values, tx: given, resolve, reject }, patience, reject)
    void runWaiting(tx, queue)
    return promise
  }
}

/** Returns the items of a batch as JSON, numbered from 1, as functions of the database take them. */
export function numbered(items: readonly object[]): string {
  return JSON.stringify(items.map((item, index) => ({ ...item, number: index + 1 })))
}

/** While a batch waits for a connection, it is given up when nobody waits for it any more. */
function executorOf(items: { tx: Tx }[], shared: Tx): Tx {
  const patiences = items.flatMap(({ tx }) => tx.request?.patience ?? [])
  const patiently = items[0]?.tx.request?.patiently
  if (!patiently || patiences.length < items.length) return shared
  return patiently({
    untilMs: Math.max(...patiences.map(({ untilMs }) => untilMs)),
    isGone: () => patiences.every(({ isGone }) => isGone()),
  })
}

function takeUpTo<Entry>(max: number, line: WaitingLine<Entry>): Entry[] {
  const taken: Entry[] = []
  while (taken.length < max) {
    const entry = line.take()
    if (entry === undefined) break
    taken.push(entry)
  }
  return taken
}

async function settle<Values, Row>(run: RunBatch<Values, Row>, tx: Tx, items: Item<Values, Row>[]): Promise<void> {
  try {
    const rows = await runAfterDeadlocks(
      run,
      tx,
      items.map(({ values }) => values),
    )
    if (rows.length !== items.length) throw new RangeError(`A batch of ${items.length} items returned ${rows.length} rows`)
    for (const [index, item] of items.entries()) resolveWith(item, rows[index] as Row)
  } catch (error) {
    if (items.length > 1 && isUndone(error)) for (const item of items) await settle(run, tx, [item])
    else for (const { reject } of items) reject(error)
  }
}

function resolveWith<Values, Row>({ tx, resolve, reject }: Item<Values, Row>, row: Row): void {
  try {
    tx.request?.check?.(row)
    resolve(row)
  } catch (error) {
    reject(error)
  }
}

/** A deadlock's victim was rolled back, and the other side goes on. */
async function runAfterDeadlocks<Values, Row>(
  run: RunBatch<Values, Row>,
  tx: Tx,
  items: Values[],
  [pauseMs, ...laterMs] = DEADLOCK_PAUSES_MS,
): Promise<Row[]> {
  try {
    return await run(tx, items)
  } catch (deadlock) {
    if (!isDeadlock(deadlock) || pauseMs === undefined) throw deadlock
    await delay(pauseMs)
    return runAfterDeadlocks(run, tx, items, laterMs).catch((error: unknown) => {
      // In a transaction every further statement fails: the deadlock is the failure to report.
      throw isInFailedTransaction(error) ? deadlock : error
    })
  }
}
