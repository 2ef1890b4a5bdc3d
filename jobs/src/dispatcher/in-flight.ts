import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import { type AttemptRef, type ClaimedDelivery, handBackDeliveries } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { type Attempts, type FinishedAttempt, refOf } from './attempts.ts'
import type { Completer, Completion } from './completer.ts'
import type { EndpointPaces } from './endpoint-concurrency.ts'
import type { DispatcherMetrics } from './metrics.ts'

const LINGER_MS = 10

export interface FlightsOptions {
  database: Database
  attempts: Attempts
  completer: Completer
  paces: EndpointPaces
  metrics: DispatcherMetrics
  /** More of this endpoint may be claimed. */
  onRoom: (endpointId: string) => void
  log: Log
}

export interface Flights {
  /** Sends a delivery and writes what came of it. It holds its endpoint's slot until the answer, and is in hand until it is written. */
  begin: (delivery: ClaimedDelivery, claimedAtMs: number) => void
  /** Ids of the attempts in hand. */
  attemptIds: () => string[]
  /** Resolves when nothing is in hand. */
  landed: () => Promise<void>
}

/** The deliveries in hand, each from its claim to its written result. */
export function createFlights({ database, attempts, completer, paces, metrics, onRoom, log }: FlightsOptions): Flights {
  const inHand = new Map<string, Promise<void>>()
  const unsent: AttemptRef[] = []
  let handingBack: Promise<void> | null = null

  async function fly(delivery: ClaimedDelivery, claimedAtMs: number): Promise<void> {
    const { endpoint_id } = delivery
    paces.take(endpoint_id)
    metrics.waitSeconds.observe(delivery.waited)
    const finished = await attempts.run(delivery, claimedAtMs)
    paces.answered(endpoint_id)
    metrics.attempts.inc({ outcome: finished?.outcome ?? 'handed_back' })
    if (finished === null) {
      await handBack(refOf(delivery))
    } else {
      const { outcome, result } = finished
      if (outcome === 'success') paces.succeeded(endpoint_id, result.duration_ms)
      else paces.failed(endpoint_id)
      onRoom(endpoint_id)
      const completion = await completer.complete(result, claimedAtMs)
      tell(delivery, finished, completion)
    }
    paces.landed()
  }

  function tell(delivery: ClaimedDelivery, { outcome, result }: FinishedAttempt, completion: Completion): void {
    metrics.attemptSeconds.observe(result.duration_ms / 1000)
    if (completion === 'stale') metrics.staleResults.inc()
    if (completion === 'applied' && result.delay_ms === null) metrics.finished.inc({ state: result.succeeded ? 'succeeded' : 'failed' })
    const { id: delivery_id, event_id, endpoint_id, attempt_id, number } = delivery
    const { status_code, error_code, duration_ms, delay_ms } = result
    log.info(
      { event_id, delivery_id, endpoint_id, attempt_id, number, outcome, status_code, error_code, duration_ms, delay_ms, completion },
      'attempt',
    )
  }

  function handBack(ref: AttemptRef): Promise<void> {
    unsent.push(ref)
    handingBack ??= handBackSoon()
    return handingBack
  }

  async function handBackSoon(): Promise<void> {
    await delay(LINGER_MS)
    handingBack = null
    // When this fails, the sweep finds deliveries of this worker that it does not have in hand.
    await handBackDeliveries(database, unsent.splice(0)).catch((err) => log.warn({ err }, 'Unsent deliveries could not be handed back'))
  }

  return {
    begin(delivery, claimedAtMs) {
      const flight = fly(delivery, claimedAtMs).then(() => {
        inHand.delete(delivery.attempt_id)
        metrics.inFlight.set(inHand.size)
        onRoom(delivery.endpoint_id)
      })
      inHand.set(delivery.attempt_id, flight)
      metrics.inFlight.set(inHand.size)
    },
    attemptIds: () => [...inHand.keys()],
    async landed() {
      await Promise.all(inHand.values())
    },
  }
}
