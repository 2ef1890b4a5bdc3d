import { type Database, type DatabaseAddress, openDatabase } from '@earshot/db'
import type { MailDriver, SecretBox } from '@earshot/drivers'
import type { Registry } from 'prom-client'
import { startDispatcher } from './dispatcher/dispatcher.ts'
import { startJobQueue } from './job-queue.ts'
import type { Log } from './log.ts'
import { createSenders, type SendersOptions } from './sending/senders.ts'

const STATEMENT_TIMEOUT_MS = 30_000

export interface WorkerOptions {
  /** Where the migrated database is; a direct connection, for the locks of sessions. */
  address: DatabaseAddress
  secretBox: SecretBox
  log: Log
  /** Jobs at once. */
  concurrency: number
  /** Closed with the worker. */
  mailDriver: MailDriver
  /** What links in mails begin with. */
  baseUrl: string
  webhooks: SendersOptions & {
    /** The delay before the second attempt. */
    backoffBaseMs: number
  }
  registry?: Registry
}

export interface Worker {
  /** A change was committed: deliveries may be due. */
  nudge: () => void
  /** Whether it can work. */
  isWell: () => boolean
  /** Finishes what runs within the time, hands back the rest. */
  stop: (limits: { timeoutMs: number }) => Promise<void>
}

/** The dispatcher of webhooks and the queue of jobs. Any number of workers share one database. */
export async function startWorker({ webhooks, registry, ...context }: WorkerOptions): Promise<Worker> {
  const { address, secretBox, log, mailDriver } = context
  const open = (name: string, poolSize: number): Database =>
    openDatabase({
      address,
      role: 'earshot_worker',
      applicationName: `earshot ${name}`,
      poolSize,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    })
  const database = open('worker', 4)
  const session = open('worker lock', 1)
  const senders = createSenders(webhooks)
  const close = () => Promise.all([senders.close(), mailDriver.close(), database.close(), session.close()])
  const queue = await startJobQueue({ ...context, database }).catch(undoing(close))
  const dispatcher = await startDispatcher({
    ...{ database, session, secretBox, log, jobPoolId: queue.poolId },
    senderFor: senders.senderFor,
    backoffBaseMs: webhooks.backoffBaseMs,
    ...(registry && { registry }),
  }).catch(undoing(() => queue.stop({ timeoutMs: 0 }).then(close)))

  return {
    nudge: dispatcher.nudge,
    isWell: dispatcher.isWell,
    async stop(limits) {
      await Promise.all([dispatcher.stop(limits), queue.stop(limits)])
      await close()
    },
  }
}

/** For `catch`: what was begun is undone before the failure goes on. */
function undoing(undo: () => Promise<unknown>) {
  return async (error: unknown): Promise<never> => {
    await undo()
    throw error
  }
}
