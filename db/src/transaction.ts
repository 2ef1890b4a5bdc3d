import type postgres from 'postgres'
import { isConnectionLost, toApiError, unavailable } from './database-errors.ts'
import type { Wait } from './patience.ts'
import { send } from './send.ts'
import type { Tx } from './tx.ts'

interface Session {
  wait: Wait
  /** The connection is gone, and the transaction with it. */
  isLost: boolean
}

/**
 * One transaction on a connection of the pool. When the connection is lost the driver (postgres.js 3.4) rejects the whole
 * by itself; but it must not be given anything to write any more, its own rollback included: its socket is gone, and
 * writing throws where nobody can catch it, and the process ends.
 */
export async function runTransaction<Result>(client: postgres.Sql, wait: Wait, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const session: Session = { wait, isLost: false }
  try {
    const result = await client.begin((transaction) => whileConnected(session, work(inTransaction(transaction, session))))
    return result as Result
  } catch (error) {
    session.isLost ||= isConnectionLost(error)
    throw error
  }
}

function inTransaction(transaction: postgres.TransactionSql, session: Session): Tx {
  const requireConnection = () => {
    session.wait.renew()
    if (session.isLost) throw unavailable(new Error('The connection was lost in the middle of a transaction'))
  }
  return {
    async run<Row>(text: string, params: readonly unknown[]) {
      requireConnection()
      try {
        return (await send(transaction, text, params)) as unknown as Row[]
      } catch (error) {
        session.isLost ||= isConnectionLost(error)
        throw toApiError(error)
      }
    },
    async attempt<Result>(work: (tx: Tx) => Promise<Result>) {
      requireConnection()
      const result = await transaction.savepoint((savepoint) => whileConnected(session, work(inTransaction(savepoint, session))))
      return result as Result
    },
  }
}

/** The work's outcome; never settles once the connection is lost, so that the driver neither commits nor rolls back. */
function whileConnected<Result>(session: Session, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    work.then(
      (result) => void (session.isLost || resolve(result)),
      (error: Error) => void (session.isLost || reject(error)),
    )
  })
}
