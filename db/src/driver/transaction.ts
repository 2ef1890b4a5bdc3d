import type { Connection } from './connection.ts'
import type { Deadline } from './deadline.ts'
import type { Tx } from './tx.ts'

/** Runs a transaction: commits when `work` resolves, rolls back when it throws. PostgreSQL rolls back by itself when the connection is lost. */
export async function runTransaction<Result>(
  connection: Connection,
  deadline: Deadline,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  await connection.send('begin')
  const result = await undoneOnFailure(connection, 'rollback', () => work(inTransaction(connection, deadline)))
  deadline.renew()
  // A commit that is cancelled before it begins leaves the transaction open, and failed.
  const { command } = await undoneOnFailure(connection, 'rollback', () => connection.send('commit'))
  if (command !== 'COMMIT') throw new Error('A statement of the transaction failed and the work continued: PostgreSQL rolled it back')
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
    // A connection that cannot roll back must not be used again; the first failure is the one to report.
    await connection.send(undo).catch(() => connection.destroy())
    throw error
  }
}
