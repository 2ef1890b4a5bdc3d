import { type DueEndpoint, type EndpointSlots, mostPerClaim } from '@earshot/db/dispatch'

const TOTAL_SLOTS = 1_000
const MAX_PER_ENDPOINT = 32
const FIRST_SUCCESS_BONUS = 8
/** A response that takes longer counts against its endpoint. */
const SLOW_MS = 2_000
/** Beyond it those that were not used for longest are forgotten, and start anew. */
const MAX_REMEMBERED = 100_000

/** The largest share of all slots that endpoints of a reliability may use: unproven ones have never responded. */
const SHARES = { proven: 1, unproven: 1 / 4, failing: 1 / 2 }
/** The most deliveries that start in one claim: hundreds of connections opened at once would delay the other endpoints. */
const BURSTS = { proven: TOTAL_SLOTS, unproven: 20, failing: 20 }

type Reliability = keyof typeof SHARES

interface EndpointState {
  reliability: Reliability
  /** The most requests at once. */
  limit: number
  /** Requests without a response yet. */
  open: number
}

/** A request without a response is reported as stalled after this time. */
export const STALLED_AFTER_MS = SLOW_MS

/**
 * The concurrency of each endpoint. One that responds well is sent more at once; one that fails or is slow holds few slots,
 * so that any number of dead endpoints does not delay the others.
 */
export class EndpointConcurrency {
  /** The least recently used first. */
  readonly #endpoints = new Map<string, EndpointState>()
  readonly #open: Record<Reliability, number> = { proven: 0, unproven: 0, failing: 0 }
  #inFlight = 0
  #turn = 0

  /**
   * Shares the free slots among the due endpoints, each up to its limit. `isCut` says that the size of a burst kept back slots
   * that are free.
   */
  allot(due: readonly DueEndpoint[]): { slots: EndpointSlots[]; isCut: boolean } {
    this.#forgetIdle()
    const free = freeSlots(this.#open, this.#inFlight)
    // Another endpoint is first each time, so that none is always last when slots are short.
    this.#turn = due.length === 0 ? 0 : (this.#turn + 1) % due.length
    const slots = [...due.slice(this.#turn), ...due.slice(0, this.#turn)].flatMap(
      ({ team_id, endpoint_id, due_since, is_failing, is_tested, max_per_second }) => {
        const { reliability, limit, open } = this.#stateOf(endpoint_id, is_failing ? 'failing' : 'unproven')
        // A test delivery gets a slot even if the endpoint uses all of its own: an endpoint that hangs is what people test.
        const wanted = Math.min(limit - open, max_per_second === null ? limit : mostPerClaim(max_per_second))
        const granted = is_tested ? Math.max(1, Math.min(wanted, free.all)) : Math.min(wanted, free[reliability], free.all)
        if (granted <= 0) return []
        free[reliability] -= granted
        free.all -= granted
        return [{ team_id, endpoint_id, due_since, free: granted, max_per_second }]
      },
    )
    const isOut = (reliability: Reliability) =>
      free[reliability] === 0 && shareOf(reliability) - this.#open[reliability] > BURSTS[reliability]
    return { slots, isCut: isOut('unproven') || isOut('failing') }
  }

  /** Keeps slots for what a statement may claim, until they are released. */
  reserved(endpointId: string, count: number): void {
    const endpoint = this.#stateOf(endpointId)
    endpoint.open += count
    this.#open[endpoint.reliability] += count
    this.#inFlight += count
  }

  released(endpointId: string, count: number): void {
    this.reserved(endpointId, -count)
  }

  /** A delivery was claimed: it takes a slot of its endpoint and is in flight. */
  started(endpointId: string): void {
    const endpoint = this.#stateOf(endpointId)
    endpoint.open += 1
    this.#open[endpoint.reliability] += 1
    this.#inFlight += 1
  }

  /** The endpoint responded and can get its next delivery, while this one's result is still to be written. */
  responded(endpointId: string): void {
    const endpoint = this.#stateOf(endpointId)
    endpoint.open -= 1
    this.#open[endpoint.reliability] -= 1
  }

  /** The result was written. Unwritten results count against the total, however quickly endpoints respond. */
  finished(): void {
    this.#inFlight -= 1
  }

  /** Returns whether enough slots are free to be worth a claim. */
  hasRoom(endpointId: string): boolean {
    const { limit, open } = this.#stateOf(endpointId)
    return open <= limit / 2
  }

  succeeded(endpointId: string, durationMs: number): void {
    const endpoint = this.#stateOf(endpointId)
    if (durationMs > SLOW_MS) {
      endpoint.limit = halved(endpoint.limit)
      return
    }
    endpoint.limit = Math.min(MAX_PER_ENDPOINT, endpoint.limit + (endpoint.reliability === 'proven' ? 1 : FIRST_SUCCESS_BONUS))
    this.#setReliability(endpoint, 'proven')
  }

  failed(endpointId: string): void {
    const endpoint = this.#stateOf(endpointId)
    endpoint.limit = halved(endpoint.limit)
    if (endpoint.limit === 1) this.#setReliability(endpoint, 'failing')
  }

  /** A request has had no response for `STALLED_AFTER_MS`. */
  stalled(endpointId: string): void {
    const endpoint = this.#stateOf(endpointId)
    endpoint.limit = 1
    this.#setReliability(endpoint, 'failing')
  }

  #stateOf(endpointId: string, reliability: Reliability = 'unproven'): EndpointState {
    const endpoint = this.#endpoints.get(endpointId) ?? { reliability, limit: 1, open: 0 }
    // Set again, it comes last.
    this.#endpoints.delete(endpointId)
    this.#endpoints.set(endpointId, endpoint)
    return endpoint
  }

  #setReliability(endpoint: EndpointState, reliability: Reliability): void {
    this.#open[endpoint.reliability] -= endpoint.open
    this.#open[reliability] += endpoint.open
    endpoint.reliability = reliability
  }

  #forgetIdle(): void {
    for (const [endpointId, { open }] of this.#endpoints) {
      if (this.#endpoints.size <= MAX_REMEMBERED) return
      if (open === 0) this.#endpoints.delete(endpointId)
    }
  }
}

function shareOf(reliability: Reliability): number {
  return Math.floor(TOTAL_SLOTS * SHARES[reliability])
}

function freeSlots(open: Record<Reliability, number>, inFlight: number): Record<Reliability | 'all', number> {
  const free = (reliability: Reliability) => Math.min(shareOf(reliability) - open[reliability], BURSTS[reliability])
  return { proven: free('proven'), unproven: free('unproven'), failing: free('failing'), all: TOTAL_SLOTS - inFlight }
}

function halved(limit: number): number {
  return Math.max(1, Math.floor(limit / 2))
}
