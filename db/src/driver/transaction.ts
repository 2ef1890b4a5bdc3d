import type { Session } from './connection.ts'
import type { Wait } from './deadline.ts'
import type { Tx } from './tx.ts'

/** One transaction: committed when `work` resolves, rolled back when it throws. A lost session has rolled back by itself. */
export async function runTransaction<Result>(session: Session, wait: Wait, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  await session.send('begin')
  const result = await undoneOnFailure(session, 'rollback', () => work(inTransaction(session, wait)))
  wait.renew()
  const { command } = await session.send('commit')
  if (command !== 'COMMIT') throw new Error('A statement of the transaction failed and the work went on: nothing of it was kept')
  return result
}

function inTransaction(session: Session, wait: Wait): Tx {
  const tx: Tx = {
    async run<Row>(text: string, params: readonly unknown[]) {
      wait.renew()
      const { rows } = await session.send<Row>(text, params)
      return rows
    },
    async attempt(work) {
      wait.renew()
      await session.send('savepoint attempt')
      const result = await undoneOnFailure(session, 'rollback to savepoint attempt; release savepoint attempt', () => work(tx))
      await session.send('release savepoint attempt')
      return result
    },
    transaction: (work) => work(tx),
  }
  return tx
}

async function undoneOnFailure<Result>(session: Session, undo: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    // What cannot be undone must not be used again; the first failure is the one to tell of.
    await session.send(undo).catch(() => session.destroy())
    throw error
  }
}
