import { type ClaimedDelivery, claimDeliveries, type Database, type DueEndpoint, findDueEndpoints } from '@earshot/db'
import type { EndpointPaces } from './endpoint-pace.ts'
import type { Log } from './log.ts'
import { startLoop } from './loop.ts'

const TICK_MS = 100
/** Looking takes at most a twentieth of a core in the long run; a single slow look is no reason to wait. */
const TICK_PER_DURATION = 20
/** What a slower look counts as: after a database that stood still, the watch rests for a second at most, not for minutes. */
const SLOWEST_LOOK_MS = 50
const SMOOTHING = 0.2
/** A nudge waits a moment for its fellows, and so does a slot that becomes free. */
const NUDGE_MS = 10
const REFILL_MS = 3

export interface DueWatchOptions {
  database: Database
  paces: EndpointPaces
  workerId: () => number
  onClaimed: (delivery: ClaimedDelivery, claimedAtMs: number) => void
  log: Log
}

export interface DueWatch {
  nudge: () => void
  /** A slot of this endpoint is free again. */
  refill: (endpointId: string) => void
  stop: () => Promise<void>
}

/** Looks for endpoints with due deliveries at each tick, and claims as many as there are slots for. */
export function startDueWatch({ database, paces, workerId, onClaimed, log }: DueWatchOptions): DueWatch {
  /** Endpoints that have more due than was claimed. */
  let due = new Map<string, DueEndpoint>()
  let lookAt = 0
  let earliestLookAt = 0
  let usualLookMs = 0

  /** Between two looks it only claims for endpoints that have more due than they had slots. */
  async function claimDue(): Promise<number> {
    if (performance.now() >= lookAt) await look()
    await claim()
    return Math.max(0, lookAt - performance.now())
  }

  async function look(): Promise<void> {
    const startedAt = performance.now()
    due = new Map((await findDueEndpoints(database)).map((endpoint) => [endpoint.endpoint_id, endpoint]))
    usualLookMs += SMOOTHING * (Math.min(performance.now() - startedAt, SLOWEST_LOOK_MS) - usualLookMs)
    earliestLookAt = startedAt + TICK_PER_DURATION * usualLookMs
    lookAt = Math.max(startedAt + TICK_MS, earliestLookAt)
  }

  async function claim(): Promise<void> {
    const slots = paces.allot([...due.values()])
    if (slots.length === 0) return
    // Before the statement, so that the age in process is never less than the lease's.
    const claimedAtMs = performance.now()
    const deliveries = await claimDeliveries(database, { workerId: workerId(), slots })
    const claimed = Map.groupBy(deliveries, ({ endpoint_id }) => endpoint_id)
    for (const { endpoint_id, free } of slots) {
      const endpoint = due.get(endpoint_id)
      if ((claimed.get(endpoint_id)?.length ?? 0) < free) due.delete(endpoint_id)
      // Its test came first and is under way.
      else if (endpoint) endpoint.is_tested = false
    }
    for (const delivery of deliveries) onClaimed(delivery, claimedAtMs)
  }

  const loop = startLoop({ name: 'The dispatch of deliveries', work: claimDue, log })
  return {
    nudge() {
      const now = performance.now()
      lookAt = Math.min(lookAt, Math.max(earliestLookAt, now + NUDGE_MS))
      loop.nudge(lookAt - now)
    },
    refill(endpointId) {
      if (due.has(endpointId) && paces.isHungry(endpointId)) loop.nudge(REFILL_MS)
    },
    stop: loop.stop,
  }
}
