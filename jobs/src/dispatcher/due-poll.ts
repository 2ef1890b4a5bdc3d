import type { Database } from '@earshot/db'
import { type ClaimedDelivery, claimDeliveries, findDueEndpoints, holdDeliveries } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { DueEndpoints, LATE_COMMIT_MS } from './due-endpoints.ts'
import type { EndpointConcurrency } from './endpoint-concurrency.ts'
import type { Idleness } from './idleness.ts'
import { startLoop, UNTIL_NUDGED_MS } from './loop.ts'

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
const FULL_LOOK_MS = 1_000
/** A nudge for endpoints that are not known waits this long for others, and so does a free slot. */
const NUDGE_MS = 10
const REFILL_MS = 3
/** Without nudges, as in a process of its own, it claims again for active endpoints after this time. */
const ACTIVE_TICK_MS = 40
/** After a claim of this many deliveries, the next one waits: in a burst a claim would follow each commit. */
const BURST_CLAIM = 4
const REST_MS = 15
/** The pause after a full burst, in which its requests start. */
const BURST_PAUSE_MS = 10

export interface DuePollOptions {
  database: Database
  concurrency: EndpointConcurrency
  idleness: Idleness
  workerId: () => number
  /** A claim begins. */
  onClaiming: () => void
  onClaimed: (delivery: ClaimedDelivery, claimedAtMs: number) => void
  log: Log
}

export interface DuePoll {
  /** A change of a team is committed, or of any team without one: deliveries may be due. */
  nudge: (teamId?: string | null) => void
  /** Whether more may be due for an endpoint than was claimed. */
  isBehind: (endpointId: string) => boolean
  /** This endpoint has free slots again. */
  refill: (endpointId: string) => void
  stop: () => Promise<void>
}

/**
 * Polls for endpoints with due deliveries at each tick, and claims as many as there are slots for. Between two polls it claims
 * for endpoints that had more due than slots, for those of teams that changed if it knows them, and for active ones.
 */
export function startDuePoll({ database, concurrency, idleness, workerId, onClaiming, onClaimed, log }: DuePollOptions): DuePoll {
  const endpoints = new DueEndpoints()
  const poll = createPoll(database, endpoints)
  let pollAt = 0
  let claimedAt = 0
  let restUntil = 0

  /** Returns the pause until the next pass. */
  async function claimDue(): Promise<number> {
    const startedAt = performance.now()
    if (startedAt < restUntil) return restUntil - startedAt
    const changed = endpoints.takeChanged()
    if (startedAt >= pollAt) pollAt = await poll.run()
    else endpoints.addRecent(changed, { withActive: startedAt >= claimedAt + ACTIVE_TICK_MS - 1 })
    if (!endpoints.areNone) idleness.noteWork()
    const { isCut, count } = await claim()
    claimedAt = performance.now()
    // What had more due than slots goes on as soon as slots are free.
    if (count >= BURST_CLAIM && !endpoints.areSome) restUntil = claimedAt + REST_MS
    if (endpoints.areSome) pollAt = Math.min(pollAt, poll.busyAt())
    else if (idleness.isIdle) pollAt = claimedAt + UNTIL_NUDGED_MS
    if (isCut) return BURST_PAUSE_MS
    const activeAt = endpoints.areActive ? claimedAt + ACTIVE_TICK_MS : pollAt
    return Math.max(0, Math.min(pollAt, activeAt, endpoints.nextTurnAt) - claimedAt)
  }

  async function claim(): Promise<{ isCut: boolean; count: number }> {
    const { slots, isCut } = concurrency.allot(endpoints.list)
    if (slots.length === 0) return { isCut, count: 0 }
    // Before the statement, so that the process never takes a lease for younger than it is.
    const claimedAtMs = performance.now()
    onClaiming()
    const deliveries = await claimDeliveries(database, { workerId: workerId(), slots })
    const claimed = Map.groupBy(deliveries, ({ endpoint_id }) => endpoint_id)
    for (const { endpoint_id, free } of slots) endpoints.claimed(endpoint_id, claimed.get(endpoint_id) ?? [], free)
    for (const delivery of deliveries) onClaimed(delivery, claimedAtMs)
    return { isCut, count: deliveries.length }
  }

  const loop = startLoop({ name: 'Claiming deliveries', work: claimDue, log })
  return {
    nudge(teamId = null) {
      const now = performance.now()
      const isKnown = teamId !== null && endpoints.changed(teamId)
      // Also after a claim without a poll: an idle worker had paused its polls, and the team may have other endpoints.
      pollAt = Math.min(pollAt, Math.max(poll.earliestAt(), now + (isKnown ? TICK_MS : NUDGE_MS)))
      // Changes that come during a claim are gathered by the next one.
      loop.nudge(isKnown ? 0 : pollAt - now)
    },
    isBehind: (endpointId) => endpoints.has(endpointId),
    refill(endpointId) {
      if (endpoints.has(endpointId) && concurrency.hasRoom(endpointId)) loop.nudge(REFILL_MS)
    },
    stop: loop.stop,
  }
}

interface Poll {
  /** Finds what is due, and returns when the next poll is. */
  run: () => Promise<number>
  /** When the next poll may be. */
  earliestAt: () => number
  /** When the next poll is while endpoints have more due than slots. */
  busyAt: () => number
}

function createPoll(database: Database, endpoints: DueEndpoints): Poll {
  let polledAt = 0
  let earliestAt = 0
  let fullLookAt = 0
  let last = { oldestMs: 0, walk: 0 }
  const recentPollsMs: number[] = []
  return {
    async run() {
      const startedAt = performance.now()
      const isFull = startedAt >= fullLookAt
      const sinceMs = last.oldestMs + (startedAt - polledAt) + LATE_COMMIT_MS
      const look = await findDueEndpoints(database, isFull ? {} : { sinceMs, walk: last.walk })
      endpoints.found(look)
      if (look.unsendable.length > 0) await holdDeliveries(database, look.unsendable)
      const tookMs = performance.now() - startedAt
      last = look
      polledAt = startedAt
      if (isFull) fullLookAt = startedAt + Math.max(FULL_LOOK_MS, TICK_PER_DURATION * tookMs)
      earliestAt = polledAt + leastTickMs(recentPollsMs, tookMs)
      return Math.max(polledAt + TICK_MS, earliestAt)
    },
    earliestAt: () => earliestAt,
    busyAt: () => Math.max(earliestAt, polledAt + BUSY_TICK_MS),
  }
}

/** Adds the duration of a poll to the recent ones, and returns the shortest tick that they allow. */
function leastTickMs(recentPollsMs: number[], tookMs: number): number {
  recentPollsMs.unshift(tookMs)
  recentPollsMs.splice(RECENT_POLLS)
  return TICK_PER_DURATION * Math.min(...recentPollsMs, SLOWEST_POLL_MS)
}
