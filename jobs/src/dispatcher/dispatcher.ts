import type { Database } from '@earshot/db'
import type { ClaimedDelivery, DeliveryClaims } from '@earshot/db/dispatch'
import { type SecretBox, settleWithin } from '@earshot/drivers'
import { Registry } from 'prom-client'
import type { Log } from '../log.ts'
import { createRequestComposer } from '../sending/delivery-request.ts'
import type { Sender } from '../sending/send-delivery.ts'
import { createAttempts } from './attempts.ts'
import { startClaiming } from './claiming.ts'
import { createCompleter } from './completer.ts'
import { EndpointConcurrency } from './endpoint-concurrency.ts'
import { startEventNumbering } from './event-numbering.ts'
import { startFolding } from './folding.ts'
import { startReleases } from './held-deliveries.ts'
import { Idleness } from './idleness.ts'
import { createInFlight } from './in-flight.ts'
import { createDispatcherMetrics } from './metrics.ts'
import { startSearchIndexing } from './search-indexing.ts'
import { startWaitingLook } from './waiting-look.ts'
import { startWorkerLiveness } from './worker-liveness.ts'

/** The time to write the results of aborted requests. */
const FINAL_WRITE_MS = 2_000
/** The time to say that this worker has stopped. */
const FAREWELL_MS = 1_000

/** What the dispatcher knows of the queue in the same process. */
export interface JobPool {
  /** The name under which this process locks its jobs. */
  poolId: string
  /** The most jobs at once. */
  concurrency: number
  /** At least `count` jobs are due. */
  nudge: (count: number) => void
}

export interface DispatcherOptions {
  database: Database
  /** A pool of one direct connection, for the worker's lock and its heartbeat. */
  lockDatabase: Database
  secretBox: SecretBox
  /** The start of links in messages for chats. */
  baseUrl: string
  /** Returns the sender that may reach the delivery's endpoint. */
  senderFor: (delivery: ClaimedDelivery) => Sender
  /** The delay before the second attempt. */
  backoffBaseMs: number
  log: Log
  registry?: Registry
  /** The job queue of this process, if it has one. */
  jobs?: JobPool
  /** Called each second while videos wait for their transcode. */
  onVideosWaiting?: () => void
  /** Called each second while images wait to be copied. */
  onImagesWaiting?: () => void
}

export interface Dispatcher {
  /** What statements of this process may claim as they write it. */
  claims: DeliveryClaims
  /** A change of a team is committed, or of any team without one: looks for what is due before the next tick. */
  nudge: (teamId?: string | null) => void
  /** Returns whether it reaches the database. */
  isHealthy: () => boolean
  /** Claims no more, waits up to `timeoutMs` for deliveries in flight, then aborts the rest. */
  stop: (limits: { timeoutMs: number }) => Promise<void>
}

/** Sends due deliveries: poll, claim, send, complete. Any number of dispatchers can share one database. */
export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { database, lockDatabase, log, registry = new Registry(), jobs, onVideosWaiting = () => {}, onImagesWaiting = () => {} } = options
  const metrics = createDispatcherMetrics(registry)
  const concurrency = new EndpointConcurrency()
  const completer = createCompleter({ database, log })
  const attempts = createAttempts({ ...options, compose: createRequestComposer(options), onStalled: (id) => concurrency.stalled(id) })
  const inFlight = createInFlight({ ...{ database, attempts, completer, concurrency, metrics, log }, onRoom: (id) => claiming.refill(id) })
  const idleness = new Idleness(() => liveness.beat())
  const liveness = await startWorkerLiveness({
    ...{ database, lockDatabase, jobPoolId: jobs?.poolId ?? null, idleness, log },
    heldAttempts: inFlight.attemptIds,
    onSwept: (count) => metrics.interrupted.inc(count),
  })
  const claiming = startClaiming({
    ...{ database, concurrency, idleness, workerId: liveness.id, log },
    ...{ onClaiming: completer.nudge, onClaimed: inFlight.start },
  })
  const numbering = startEventNumbering({ database, idleness, log, onNumbered: (count) => metrics.numberedEvents.inc(count) })
  const folding = startFolding({ database, log })
  const indexing = startSearchIndexing({ database, log })
  const releases = startReleases({ database, log })

  function nudge(teamId: string | null = null): void {
    const wasIdle = idleness.isIdle
    idleness.noteWork()
    claiming.nudge(teamId)
    if (wasIdle) numbering.nudge()
  }

  const look = startWaitingLook({
    ...{ database, log },
    onWaiting: {
      deliveries: nudge,
      events: numbering.nudge,
      figures: folding.nudge,
      held: releases.nudge,
      images: onImagesWaiting,
      searches: indexing.nudge,
      videos: onVideosWaiting,
    },
    jobs: { max: jobs?.concurrency ?? 0, onDue: (count) => jobs?.nudge(count) },
  })

  return {
    claims: claiming.claims,
    nudge,
    isHealthy: liveness.isHealthy,
    async stop({ timeoutMs }) {
      attempts.close()
      const endMs = performance.now() + timeoutMs
      const leftMs = () => Math.max(0, endMs - performance.now())
      // Without a database nothing settles, and the worker must stop all the same.
      const loops = [look, claiming, numbering, folding, indexing, releases]
      await settleWithin(leftMs(), Promise.all(loops.map((loop) => loop.stop())), null)
      const settled = () => inFlight.settled().then(() => true)
      if (!(await settleWithin(leftMs(), settled(), false))) {
        attempts.interrupt()
        await settleWithin(FINAL_WRITE_MS, settled(), false)
        completer.close()
      }
      await settleWithin(FAREWELL_MS, liveness.stop(), null)
    },
  }
}
