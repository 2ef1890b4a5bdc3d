import { type Database, type DatabaseAddress, type DatabaseOptions, openDatabase } from '@earshot/db'
import type { SecretBox } from '@earshot/drivers'
import type { Registry } from 'prom-client'
import { startDispatcher } from './dispatcher.ts'
import { startJobQueue } from './job-queue.ts'
import type { Log } from './log.ts'
import { createSenders, type SendersOptions } from './senders.ts'

const STATEMENT_TIMEOUT_MS = 30_000

export interface WorkerOptions {
  /** Where the migrated database is; a direct connection, for the locks of sessions. */
  address: DatabaseAddress
  secretBox: SecretBox
  log: Log
  /** Jobs at once. */
  concurrency: number
  webhooks: SendersOptions & {
    /** The delay before the second attempt. */
    backoffBaseMs: number
  }
  registry?: Registry
}

export interface Worker {
  /** A change was committed: deliveries may be due. */
  nudge: () => void
  /** Finishes what runs within the time, hands back the rest. */
  stop: (limits: { timeoutMs: number }) => Promise<void>
}

/** The dispatcher of webhooks and the queue of jobs. Any number of workers share one database. */
export async function startWorker({ address, secretBox, log, concurrency, webhooks, registry }: WorkerOptions): Promise<Worker> {
  const open = (name: string, options: Pick<DatabaseOptions, 'poolSize' | 'statementTimeoutMs'>): Database =>
    openDatabase({ address, role: 'earshot_worker', applicationName: `earshot ${name}`, ...options })
  const database = open('worker', { poolSize: 4, statementTimeoutMs: STATEMENT_TIMEOUT_MS })
  const session = open('worker lock', { poolSize: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS })
  const senders = createSenders(webhooks)
  const queue = await startJobQueue({ address, database, log, concurrency })
  const dispatcher = await startDispatcher({
    ...{ database, session, secretBox, log, jobPoolId: queue.poolId },
    senderFor: senders.senderFor,
    backoffBaseMs: webhooks.backoffBaseMs,
    ...(registry && { registry }),
  })

  return {
    nudge: dispatcher.nudge,
    async stop(limits) {
      await Promise.all([dispatcher.stop(limits), queue.stop(limits)])
      await Promise.all([senders.close(), database.close(), session.close()])
    },
  }
}
