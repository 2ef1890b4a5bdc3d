import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import { type AttemptRef, type ClaimedDelivery, handBackDeliveries, skipDeliveries } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { type Attempts, type FinishedAttempt, refOf } from './attempts.ts'
import type { Completer, Completion } from './completer.ts'
import type { EndpointConcurrency } from './endpoint-concurrency.ts'
import type { DispatcherMetrics } from './metrics.ts'

const LINGER_MS = 10

export interface InFlightOptions {
  database: Database
  attempts: Attempts
  completer: Completer
  concurrency: EndpointConcurrency
  metrics: DispatcherMetrics
  /** More deliveries of this endpoint can be claimed. */
  onRoom: (endpointId: string) => void
  log: Log
}

export interface InFlight {
  /** Sends a delivery and writes its result. It uses its endpoint's slot until the response, and is in flight until the result is written. */
  start: (delivery: ClaimedDelivery, claimedAtMs: number) => void
  /** Ids of the attempts in flight. */
  attemptIds: () => string[]
  /** Resolves when all deliveries in flight have ended. */
  settled: () => Promise<void>
}

interface SentAttempt extends FinishedAttempt {
  event_id: string
  claimedAtMs: number
}

/** The deliveries in flight, each from its claim to its written result. */
export function createInFlight({ database, attempts, completer, concurrency, metrics, onRoom, log }: InFlightOptions): InFlight {
  const inFlight = new Map<string, Promise<void>>()
  const handBack = together(handBackDeliveries, { database, log })
  const skip = together(skipDeliveries, { database, log })

  /** Returns null where nothing was sent. */
  async function send(delivery: ClaimedDelivery, claimedAtMs: number): Promise<SentAttempt | null> {
    const { endpoint_id, event_id } = delivery
    concurrency.started(endpoint_id)
    // One to an endpoint with a limit waits as it is meant to.
    if (delivery.limited_for_ms === null) metrics.waitSeconds.observe(delivery.waited)
    // Its payload was removed after it was sent again, or its event is too old: nothing is sent.
    const isSkipped = delivery.payload === null
    const finished = isSkipped ? null : await attempts.run(delivery, claimedAtMs)
    concurrency.responded(endpoint_id)
    metrics.attempts.inc({ outcome: finished?.outcome ?? 'handed_back' })
    if (finished) return { ...finished, event_id, claimedAtMs }
    await (isSkipped ? skip : handBack)(refOf(delivery))
    return null
  }

  async function write(sent: SentAttempt): Promise<void> {
    const { outcome, result, claimedAtMs } = sent
    const { endpoint_id } = result
    if (outcome === 'success') concurrency.succeeded(endpoint_id, result.duration_ms)
    else concurrency.failed(endpoint_id)
    onRoom(endpoint_id)
    report(sent, await completer.complete(result, claimedAtMs))
  }

  function report({ outcome, result, event_id }: SentAttempt, completion: Completion): void {
    metrics.attemptSeconds.observe(result.duration_ms / 1000)
    if (completion === 'stale') metrics.staleResults.inc()
    if (completion === 'applied' && result.delay_ms === null) metrics.finished.inc({ state: result.succeeded ? 'succeeded' : 'failed' })
    const { delivery_id, endpoint_id, attempt_id, number, status_code, error_code, duration_ms, delay_ms } = result
    log.info(
      { event_id, delivery_id, endpoint_id, attempt_id, number, outcome, status_code, error_code, duration_ms, delay_ms, completion },
      'attempt',
    )
  }

  return {
    start(delivery, claimedAtMs) {
      const { attempt_id, endpoint_id } = delivery
      // Results wait for others: until they are written, nothing here holds the delivery with its payload.
      const ended = send(delivery, claimedAtMs)
        .then((sent) => sent && write(sent))
        .then(() => {
          concurrency.finished()
          inFlight.delete(attempt_id)
          metrics.inFlight.set(inFlight.size)
          onRoom(endpoint_id)
        })
      inFlight.set(attempt_id, ended)
      metrics.inFlight.set(inFlight.size)
    },
    attemptIds: () => [...inFlight.keys()],
    async settled() {
      await Promise.all(inFlight.values())
    },
  }
}

/** Returns a function that collects deliveries for some milliseconds, and writes them together. */
function together(
  write: (tx: Database, refs: AttemptRef[]) => Promise<void>,
  { database, log }: Pick<InFlightOptions, 'database' | 'log'>,
): (ref: AttemptRef) => Promise<void> {
  const unsent: AttemptRef[] = []
  let writing: Promise<void> | null = null

  async function writeSoon(): Promise<void> {
    await delay(LINGER_MS)
    writing = null
    // If this fails, the sweep finds them: deliveries of this worker that are not in flight.
    await write(database, unsent.splice(0)).catch((err) => log.warn({ err }, 'Could not hand back unsent deliveries'))
  }

  return (ref) => {
    unsent.push(ref)
    writing ??= writeSoon()
    return writing
  }
}
