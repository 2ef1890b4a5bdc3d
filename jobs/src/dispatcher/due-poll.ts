import type { Database } from '@earshot/db'
import { type ClaimedDelivery, claimDeliveries, type DueEndpoint, findDueEndpoints, holdDeliveries } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import type { EndpointConcurrency } from './endpoint-concurrency.ts'
import { startLoop } from './loop.ts'

const TICK_MS = 100
/** The tick while some endpoints have more due than slots: deliveries of the other endpoints are not to wait for them. */
const BUSY_TICK_MS = 50
/** Polls use at most a tenth of a core. The fastest recent poll is counted: slower ones waited for a processor. */
const TICK_PER_DURATION = 10
const RECENT_POLLS = 8
/** The longest duration that counts: after a database stall the next poll starts within a second, not minutes later. */
const SLOWEST_POLL_MS = 50
/**
 * A poll looks back as far as the last one found something, and this much further for transactions that commit late. Once a
 * second it looks at everything, or seldomer when that takes long, as beside a long reader.
 */
const LATE_COMMIT_MS = 1_000
const FULL_LOOK_MS = 1_000
/** A nudge waits this long for others, and so does a free slot. */
const NUDGE_MS = 10
const REFILL_MS = 3
/** The pause after a full burst, in which its requests start. */
const BURST_PAUSE_MS = 10

export interface DuePollOptions {
  database: Database
  concurrency: EndpointConcurrency
  workerId: () => number
  onClaimed: (delivery: ClaimedDelivery, claimedAtMs: number) => void
  log: Log
}

export interface DuePoll {
  nudge: () => void
  /** This endpoint has free slots again. */
  refill: (endpointId: string) => void
  stop: () => Promise<void>
}

/** Polls for endpoints with due deliveries at each tick, and claims as many as there are slots for. */
export function startDuePoll({ database, concurrency, workerId, onClaimed, log }: DuePollOptions): DuePoll {
  /** Endpoints that have more due than was claimed. */
  let due = new Map<string, DueEndpoint>()
  let polledAt = 0
  let pollAt = 0
  let earliestPollAt = 0
  let fullLookAt = 0
  let last = { oldestMs: 0, walk: 0 }
  const recentPollsMs: number[] = []

  /** Between two polls, claims only for endpoints that had more due than slots. */
  async function claimDue(): Promise<number> {
    if (performance.now() >= pollAt) await poll()
    const { isCut } = await claim()
    if (due.size > 0) pollAt = Math.min(pollAt, Math.max(earliestPollAt, polledAt + BUSY_TICK_MS))
    return Math.max(0, isCut ? BURST_PAUSE_MS : pollAt - performance.now())
  }

  async function poll(): Promise<void> {
    const startedAt = performance.now()
    const isFull = startedAt >= fullLookAt
    const sinceMs = last.oldestMs + (startedAt - polledAt) + LATE_COMMIT_MS
    const look = await findDueEndpoints(database, isFull ? {} : { sinceMs, walk: last.walk })
    due = new Map(look.due.map((endpoint) => [endpoint.endpoint_id, endpoint]))
    if (look.unsendable.length > 0) await holdDeliveries(database, look.unsendable)
    const tookMs = performance.now() - startedAt
    last = look
    polledAt = startedAt
    if (isFull) fullLookAt = startedAt + Math.max(FULL_LOOK_MS, TICK_PER_DURATION * tookMs)
    earliestPollAt = polledAt + leastTickMs(recentPollsMs, tookMs)
    pollAt = Math.max(polledAt + TICK_MS, earliestPollAt)
  }

  async function claim(): Promise<{ isCut: boolean }> {
    const { slots, isCut } = concurrency.allot([...due.values()])
    if (slots.length === 0) return { isCut }
    // Before the statement, so that the process never takes a lease for younger than it is.
    const claimedAtMs = performance.now()
    const deliveries = await claimDeliveries(database, { workerId: workerId(), slots })
    const claimed = Map.groupBy(deliveries, ({ endpoint_id }) => endpoint_id)
    for (const { endpoint_id, free } of slots) keepDue(endpoint_id, claimed.get(endpoint_id) ?? [], free)
    for (const delivery of deliveries) onClaimed(delivery, claimedAtMs)
    return { isCut }
  }

  /** Forgets an endpoint that had less due than slots; the others go on where the claim ended. */
  function keepDue(endpointId: string, claimed: ClaimedDelivery[], free: number): void {
    const endpoint = due.get(endpointId)
    if (!endpoint) return
    if (claimed.length < free) due.delete(endpointId)
    endpoint.due_since = lastDue(claimed) ?? endpoint.due_since
    // A test delivery is due before all others of its endpoint, so it was claimed.
    endpoint.is_tested = false
  }

  const loop = startLoop({ name: 'Claiming deliveries', work: claimDue, log })
  return {
    nudge() {
      const now = performance.now()
      pollAt = Math.min(pollAt, Math.max(earliestPollAt, now + NUDGE_MS))
      loop.nudge(pollAt - now)
    },
    refill(endpointId) {
      if (due.has(endpointId) && concurrency.hasRoom(endpointId)) loop.nudge(REFILL_MS)
    },
    stop: loop.stop,
  }
}

/** Adds the duration of a poll to the recent ones, and returns the shortest tick that they allow. */
function leastTickMs(recentPollsMs: number[], tookMs: number): number {
  recentPollsMs.unshift(tookMs)
  recentPollsMs.splice(RECENT_POLLS)
  return TICK_PER_DURATION * Math.min(...recentPollsMs, SLOWEST_POLL_MS)
}

/** Returns when the last of these deliveries was due: all that the claim left are due later. */
function lastDue(claimed: ClaimedDelivery[]): string | undefined {
  return claimed.toSorted((one, other) => one.waited - other.waited)[0]?.due_at
}
