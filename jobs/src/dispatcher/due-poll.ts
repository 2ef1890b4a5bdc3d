import type { Database } from '@earshot/db'
import { type ClaimedDelivery, claimDeliveries, type DueEndpoint, findDueEndpoints } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import type { EndpointPaces } from './endpoint-concurrency.ts'
import { startLoop } from './loop.ts'

const TICK_MS = 100
/** While some endpoints have more due than slots, the others' deliveries have to wait for processors too. */
const BUSY_TICK_MS = 50
/** Looking takes at most a twentieth of a core: what the quickest of the last looks took, as the others waited for a processor. */
const TICK_PER_DURATION = 20
const REMEMBERED_LOOKS = 8
/** What a slower look counts as: after a database that stood still, the watch rests for a second at most, not for minutes. */
const SLOWEST_LOOK_MS = 50
/** A nudge waits a moment for its fellows, and so does a slot that becomes free. */
const NUDGE_MS = 10
const REFILL_MS = 3
/** What was claimed gets under way before more is. */
const BREATH_MS = 10

export interface DueWatchOptions {
  database: Database
  paces: EndpointPaces
  workerId: () => number
  onClaimed: (delivery: ClaimedDelivery, claimedAtMs: number) => void
  log: Log
}

export interface DueWatch {
  nudge: () => void
  /** There is room for more of this endpoint. */
  refill: (endpointId: string) => void
  stop: () => Promise<void>
}

/** Looks for endpoints with due deliveries at each tick, and claims as many as there are slots for. */
export function startDueWatch({ database, paces, workerId, onClaimed, log }: DueWatchOptions): DueWatch {
  /** Endpoints that have more due than was claimed. */
  let due = new Map<string, DueEndpoint>()
  let lookedAt = 0
  let lookAt = 0
  let earliestLookAt = 0
  const lastLooksMs: number[] = []

  /** Between two looks it only claims for endpoints that have more due than they had slots. */
  async function claimDue(): Promise<number> {
    if (performance.now() >= lookAt) await look()
    const { isCut } = await claim()
    if (due.size > 0) lookAt = Math.min(lookAt, Math.max(earliestLookAt, lookedAt + BUSY_TICK_MS))
    return Math.max(0, isCut ? BREATH_MS : lookAt - performance.now())
  }

  async function look(): Promise<void> {
    lookedAt = performance.now()
    due = new Map((await findDueEndpoints(database)).map((endpoint) => [endpoint.endpoint_id, endpoint]))
    lastLooksMs.unshift(performance.now() - lookedAt)
    lastLooksMs.splice(REMEMBERED_LOOKS)
    earliestLookAt = lookedAt + TICK_PER_DURATION * Math.min(...lastLooksMs, SLOWEST_LOOK_MS)
    lookAt = Math.max(lookedAt + TICK_MS, earliestLookAt)
  }

  async function claim(): Promise<{ isCut: boolean }> {
    const { slots, isCut } = paces.allot([...due.values()])
    if (slots.length === 0) return { isCut }
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
    return { isCut }
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
