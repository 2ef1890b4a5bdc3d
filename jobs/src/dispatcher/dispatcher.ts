import type { Database } from '@earshot/db'
import type { ClaimedDelivery } from '@earshot/db/dispatch'
import { type SecretBox, settleWithin } from '@earshot/drivers'
import { Registry } from 'prom-client'
import type { Log } from '../log.ts'
import { createRequestComposer } from '../sending/delivery-request.ts'
import type { Sender } from '../sending/send-delivery.ts'
import { createAttempts } from './attempts.ts'
import { createCompleter } from './completer.ts'
import { startDueWatch } from './due-poll.ts'
import { EndpointPaces } from './endpoint-concurrency.ts'
import { startEventNumbering } from './event-numbering.ts'
import { createFlights } from './in-flight.ts'
import { createDispatcherMetrics } from './metrics.ts'
import { startWorkerLife } from './worker-liveness.ts'

/** What was broken off still has to be written. */
const FAREWELL_MS = 2_000

export interface DispatcherOptions {
  database: Database
  /** A pool of one direct connection, for the worker's lock and its heartbeat. */
  session: Database
  secretBox: SecretBox
  /** Which sender may reach this delivery's endpoint. */
  senderFor: (delivery: ClaimedDelivery) => Sender
  /** The delay before the second attempt. */
  backoffBaseMs: number
  log: Log
  registry?: Registry
  /** The name under which this process locks jobs of the queue. */
  jobPoolId?: string
}

export interface Dispatcher {
  /** Something was committed that may be due: look before the next tick. */
  nudge: () => void
  /** Whether it reaches the database. */
  isWell: () => boolean
  /** Claims no more, lets what is in flight finish within the time, and hands back the rest. */
  stop: (limits: { timeoutMs: number }) => Promise<void>
}

/** Sends what is due: discover, claim, send, complete. Any number of dispatchers share one database. */
export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { database, session, secretBox, log, registry = new Registry(), jobPoolId = null } = options
  const metrics = createDispatcherMetrics(registry)
  const paces = new EndpointPaces()
  const completer = createCompleter({ database, log })
  const attempts = createAttempts({ ...options, compose: createRequestComposer(secretBox), onStalled: (id) => paces.stalled(id) })
  const flights = createFlights({ ...{ database, attempts, completer, paces, metrics, log }, onRoom: (id) => watch.refill(id) })
  const life = await startWorkerLife({
    ...{ database, session, jobPoolId, log },
    heldAttempts: flights.attemptIds,
    onSwept: (count) => metrics.interrupted.inc(count),
  })
  const watch = startDueWatch({ database, paces, workerId: life.id, onClaimed: flights.begin, log })
  const numbering = startEventNumbering({ database, log, onNumbered: (count) => metrics.numberedEvents.inc(count) })

  return {
    nudge: watch.nudge,
    isWell: life.isWell,
    async stop({ timeoutMs }) {
      attempts.close()
      // Without a database nothing settles, and the worker must stop all the same.
      await settleWithin(timeoutMs, Promise.all([watch.stop(), numbering.stop()]), null)
      const landed = () => flights.landed().then(() => true)
      if (!(await settleWithin(timeoutMs, landed(), false))) {
        attempts.interrupt()
        await settleWithin(FAREWELL_MS, landed(), false)
        completer.close()
      }
      await settleWithin(FAREWELL_MS, life.stop(), null)
    },
  }
}
