import type { Connection } from './connection.ts'
import type { Deadline } from './deadline.ts'
import type { Tx } from './tx.ts'

/** One transaction: committed when `work` resolves, rolled back when it throws. A lost connection has rolled back by itself. */
export async function runTransaction<Result>(
  connection: Connection,
  deadline: Deadline,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  await connection.send('begin')
  const result = await undoneOnFailure(connection, 'rollback', () => work(inTransaction(connection, deadline)))
  deadline.renew()
  const { command } = await connection.send('commit')
  if (command !== 'COMMIT') throw new Error('A statement of the transaction failed and the work went on: nothing of it was kept')
  return result
}

function inTransaction(connection: Connection, deadline: Deadline): Tx {
  const tx: Tx = {
    async run<Row>(text: string, params: readonly unknown[]) {
      deadline.renew()
      const { rows } = await connection.send<Row>(text, params)
      return rows
    },
    async attempt(work) {
      deadline.renew()
      await connection.send('savepoint attempt')
      const result = await undoneOnFailure(connection, 'rollback to savepoint attempt; release savepoint attempt', () => work(tx))
      await connection.send('release savepoint attempt')
      return result
    },
    transaction: (work) => work(tx),
  }
  return tx
}

async function undoneOnFailure<Result>(connection: Connection, undo: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    // What cannot be undone must not be used again; the first failure is the one to tell of.
    await connection.send(undo).catch(() => connection.destroy())
    throw error
  }
}
