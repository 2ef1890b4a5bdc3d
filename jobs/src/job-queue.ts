import { EventEmitter } from 'node:events'
import type { JobName } from '@earshot/db'
import { openQueuePool } from '@earshot/db/schema'
import { settleWithin } from '@earshot/drivers'
import { Logger, parseCronItems, run, type WorkerEvents } from 'graphile-worker'
import { blobs } from './blobs.ts'
import { disabling } from './disabling.ts'
import type { JobPool } from './dispatcher/dispatcher.ts'
import { erasure } from './erasure.ts'
import { importUndo } from './imports/undo.ts'
import type { Log } from './log.ts'
import { mail } from './mail.ts'
import { notifications } from './notifications.ts'
import { orphans } from './orphans.ts'
import { partitions } from './partitions.ts'
import { payloads } from './payloads.ts'
import { purge } from './purge.ts'
import { replay } from './replay.ts'
import { retention } from './retention.ts'
import { tag } from './tag.ts'
import type { TaskContext, TaskMaker } from './task.ts'

const tasks: Record<JobName, TaskMaker> = {
  ...{ blobs, disabling, erasure, mail, notifications, orphans, partitions, payloads, replay, retention, purge, tag },
  import: lazily(async () => (await import('./imports/import.ts')).importRows),
  import_undo: importUndo,
}

/** Returns a task whose module is loaded with its first job, because what it imports is large. */
function lazily(load: () => Promise<TaskMaker>): TaskMaker {
  return (context) =>
    async (...job) =>
      (await load())(context)(...job)
}

/** On which `wake_workers` notifies. */
const WORK_CHANNEL = 'earshot:work'
/**
 * A worker is notified of new jobs, and the dispatcher's look finds once a second what else is due: retries, and jobs of dead
 * workers. This poll, of each of the workers, is for when neither works.
 */
const POLL_MS = 60_000
/** The time to hand back jobs that still run. */
const KILL_MS = 3_000

/** Cron patterns, in UTC. */
const SCHEDULE: [JobName, string][] = [
  ['partitions', '*/10 * * * *'],
  ['retention', '*/10 * * * *'],
  ['payloads', '*/10 * * * *'],
  ['purge', '37 * * * *'],
  ['blobs', '*/10 * * * *'],
  ['disabling', '*/10 * * * *'],
  ['notifications', '* * * * *'],
  ['orphans', '23 4 * * *'],
]

/** Jobs that wait for readers of a table, read all keys of a store, or empty a month of events: nothing waits for them. */
const SLOW: ReadonlySet<JobName> = new Set(['partitions', 'orphans', 'payloads'])

export interface JobQueueOptions extends TaskContext {
  /** The most jobs at once. */
  concurrency: number
  /** Another process has committed work while this one was idle. */
  onWork: () => void
}

export interface JobQueue extends JobPool {
  /** Takes no more jobs, waits up to `timeoutMs` for running ones, then hands them back. */
  stop: (limits: { timeoutMs: number }) => Promise<void>
}

/** Starts Graphile Worker with all tasks and the schedule. */
export async function startJobQueue({ concurrency, onWork, ...context }: JobQueueOptions): Promise<JobQueue> {
  const events: WorkerEvents = new EventEmitter()
  // Its pool is a thenable that resolves when it ends: a promise of it would too.
  const { promise: created, resolve: create } = Promise.withResolvers<Pick<JobPool, 'poolId' | 'nudge'>>()
  events.once('pool:create', ({ workerPool }) => create({ poolId: workerPool.id, nudge: (count) => workerPool.nudge(count) }))
  const { promise: listens, resolve: listening } = Promise.withResolvers<void>()
  events.once('pool:listen:success', () => listening())
  // The queue's own connection for notifications listens to ours too.
  events.on('pool:listen:success', ({ client }) => void client.query(`listen "${WORK_CHANNEL}"`).catch(() => {}))
  events.on('pool:listen:notification', ({ message }) => {
    if (message.channel === WORK_CHANNEL) onWork()
  })
  const pgPool = await openQueuePool(context.address, {
    max: concurrency + 2,
    onError: (err) => context.log.error({ err }, 'A connection of the job queue failed'),
  })
  const runner = await run({
    pgPool,
    concurrency,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    // A stop waits until the end of each job is noted only where that is done in batches. Otherwise the job would stay locked.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    events,
    logger: toQueueLogger(context.log),
    taskList: Object.fromEntries(Object.entries(tasks).map(([name, make]) => [name, make(context)])),
    parsedCronItems: schedule(),
  })
  let hasEnded = false
  const ended = runner.promise
    .catch((err) => context.log.error({ err }, 'The job queue stopped unexpectedly'))
    .then(() => {
      hasEnded = true
      void pgPool.end()
    })

  // A stop before it listens would leak its client, whose later connection error would end the process.
  await Promise.race([listens, ended])

  return {
    ...(await created),
    concurrency,
    async stop({ timeoutMs }) {
      if (hasEnded) return
      const stopping = runner.stop().catch(() => {})
      await settleWithin(timeoutMs, stopping, null)
      // Without a database it cannot hand back its jobs; others do when they find this worker dead.
      if (!hasEnded)
        await settleWithin(
          KILL_MS,
          runner.kill().then(() => ended),
          null,
        )
    },
  }
}

/**
 * All in one named queue, so that they run one at a time and never wait for each other's locks; but slow ones have their own.
 */
export function schedule() {
  return parseCronItems(
    SCHEDULE.map(([name, match]) => {
      const queueName = SLOW.has(name) ? name : 'housekeeping'
      return { task: name, match, identifier: name, options: { queueName, maxAttempts: 3 } }
    }),
  )
}

function toQueueLogger(log: Log): Logger {
  return new Logger((scope) => (level, message, meta) => {
    const method = level === 'warning' ? 'warn' : level
    log[method]({ ...scope, ...(meta && 'error' in meta && { err: meta.error }) }, message)
  })
}
