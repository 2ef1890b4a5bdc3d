import { type Database, type DatabaseAddress, openDatabase } from '@earshot/db'
import { type BlobStore, type MailDriver, type SecretBox, settleWithin } from '@earshot/drivers'
import type { Registry } from 'prom-client'
import { type Dispatcher, startDispatcher } from './dispatcher/dispatcher.ts'
import { HEARTBEAT_TIMEOUT_MS } from './dispatcher/worker-liveness.ts'
import { type ImageCopyingOptions, startImageCopying } from './images/copying.ts'
import { startJobQueue } from './job-queue.ts'
import type { Log } from './log.ts'
import { startOnlineMigrations } from './online-migrations.ts'
import { createSenders, type SendersOptions } from './sending/senders.ts'
import { startTranscoding, type TranscodingOptions } from './transcoding/transcoding.ts'

const STATEMENT_TIMEOUT_MS = 30_000
/** Connections to servers that hang do not close. */
const CLOSE_MS = 3_000
/** Transcoding is nudged when videos wait. Its own passes are for those of workers that died. */
const TRANSCODING_POLL_MS = 2_500

export interface WorkerOptions {
  /** The migrated database; a pooler in front of it must be in session mode. */
  address: DatabaseAddress
  secretBox: SecretBox
  log: Log
  /** The most jobs at once. */
  concurrency: number
  /** Closed with the worker. */
  mailDriver: MailDriver
  /** Stays open when the worker stops. */
  blobStore: BlobStore
  /** The start of links in mails and messages for chats. */
  baseUrl: string
  /** How videos are transcoded. */
  transcoding: Pick<TranscodingOptions, 'concurrency' | 'folder' | 'keepOriginalsDays'> & Partial<TranscodingOptions>
  /** How images of other sites are copied, in tests. */
  images?: Partial<ImageCopyingOptions>
  /** Images of other sites are fetched by the same rules. */
  webhooks: SendersOptions & {
    /** The delay before the second attempt. */
    backoffBaseMs: number
  }
  registry?: Registry
}

export interface Worker {
  /** What statements of this process may claim as they write it. */
  claims: Dispatcher['claims']
  /** A change of a team is committed, or of any team without one: deliveries may be due. */
  nudge: (teamId?: string | null) => void
  /** Returns whether it reaches the database. */
  isHealthy: () => boolean
  /** Waits up to `timeoutMs` for running work, then hands back the rest. */
  stop: (limits: { timeoutMs: number }) => Promise<void>
}

/** Starts the webhook dispatcher, the job queue, the transcodes and what runs online migrations. Any number of workers can share one database. */
export async function startWorker({
  webhooks,
  transcoding,
  images: imageCopying = {},
  registry,
  ...context
}: WorkerOptions): Promise<Worker> {
  const { address, secretBox, baseUrl, log, mailDriver } = context
  const open = (name: string, poolSize: number, statementTimeoutMs: number): Database =>
    openDatabase({
      address,
      role: 'earshot_worker',
      applicationName: `earshot ${name}`,
      poolSize,
      statementTimeoutMs,
    })
  const database = open('worker', 4, STATEMENT_TIMEOUT_MS)
  const lockDatabase = open('worker lock', 1, HEARTBEAT_TIMEOUT_MS)
  const senders = createSenders(webhooks)
  const close = () => Promise.all([senders.close(), mailDriver.close(), database.close(), lockDatabase.close()])
  const dispatching: { nudge?: Dispatcher['nudge'] } = {}
  const queue = await startJobQueue({ ...context, database, onWork: () => dispatching.nudge?.() }).catch(rethrowAfter(close))
  const dispatcher = await startDispatcher({
    ...{ database, lockDatabase, secretBox, baseUrl, log, jobs: queue },
    senderFor: senders.senderFor,
    backoffBaseMs: webhooks.backoffBaseMs,
    onVideosWaiting: () => videos.nudge(),
    onImagesWaiting: () => images.nudge(),
    ...(registry && { registry }),
  }).catch(rethrowAfter(() => queue.stop({ timeoutMs: 0 }).then(close)))
  dispatching.nudge = dispatcher.nudge
  const onlineMigrations = startOnlineMigrations(context)
  const videos = startTranscoding({
    database,
    log,
    blobStore: context.blobStore,
    ...(registry && { registry }),
    pollMs: TRANSCODING_POLL_MS,
    ...transcoding,
  })

  const images = startImageCopying({
    ...{ database, log, network: webhooks, folder: transcoding.folder },
    ...(registry && { registry }),
    ...imageCopying,
  })

  return {
    claims: dispatcher.claims,
    nudge: dispatcher.nudge,
    isHealthy: dispatcher.isHealthy,
    async stop(limits) {
      // Each waits for its own work: what fails in one must not close the database under the others.
      const stopped = await Promise.allSettled([
        dispatcher.stop(limits),
        queue.stop(limits),
        videos.stop(limits),
        images.stop(limits),
        onlineMigrations.stop(),
      ])
      for (const outcome of stopped)
        if (outcome.status === 'rejected') log.error({ err: outcome.reason }, 'A part of the worker failed to stop')
      await settleWithin(CLOSE_MS, close(), null)
    },
  }
}

/** Returns a handler for `catch` that undoes what was started and throws the error again. */
function rethrowAfter(undo: () => Promise<unknown>) {
  return async (error: unknown): Promise<never> => {
    await undo()
    throw error
  }
}
