import type { DueEndpoint, EndpointSlots } from '@earshot/db/dispatch'

const TOTAL_SLOTS = 1_000
const MAX_PER_ENDPOINT = 32
const FIRST_SUCCESS_BONUS = 8
/** Longer than this and an answer counts against its endpoint. */
const SLOW_MS = 2_000
const MAX_REMEMBERED = 20_000

/** Of the slots at most so many are in use by endpoints that never answered, and by those that fail. */
const SHARES = { proven: 1, unproven: 1 / 4, failing: 1 / 2 }
/** So many begin at once: hundreds of connections opened in one breath would hold up what is sent to the others. */
const BREATHS = { proven: TOTAL_SLOTS, unproven: 20, failing: 20 }

type Standing = keyof typeof SHARES

interface Pace {
  standing: Standing
  /** How many deliveries may be in flight. */
  limit: number
  inFlight: number
}

/** After how long an unanswered request is reported as stalled. */
export const STALLED_AFTER_MS = SLOW_MS

/**
 * How many deliveries each endpoint may have in flight: what answers well is sent more at once, and what fails or is
 * slow holds few slots, so that no number of dead endpoints delays the others.
 */
export class EndpointPaces {
  readonly #paces = new Map<string, Pace>()
  readonly #used: Record<Standing, number> = { proven: 0, unproven: 0, failing: 0 }
  #inHand = 0
  #turn = 0

  /**
   * Shares the free slots among these endpoints, each up to what it has earned; `isCut` tells that it would be more, had
   * not others to be let in between.
   */
  allot(due: readonly DueEndpoint[]): { slots: EndpointSlots[]; isCut: boolean } {
    this.#forgetIdle()
    const rooms = roomsOf(this.#used, this.#inHand)
    // Another endpoint begins each time: when slots are short, none is always last.
    this.#turn = due.length === 0 ? 0 : (this.#turn + 1) % due.length
    const slots = [...due.slice(this.#turn), ...due.slice(0, this.#turn)].flatMap(({ team_id, endpoint_id, is_failing, is_tested }) => {
      const { standing, limit, inFlight } = this.#paceOf(endpoint_id, is_failing ? 'failing' : 'unproven')
      // Who tries an endpoint does so because it hangs: its own slots are then all in use.
      const free = is_tested ? Math.max(1, Math.min(limit - inFlight, rooms.all)) : Math.min(limit - inFlight, rooms[standing], rooms.all)
      if (free <= 0) return []
      rooms[standing] -= free
      rooms.all -= free
      return [{ team_id, endpoint_id, free }]
    })
    const isOut = (standing: Standing) => rooms[standing] === 0 && shareOf(standing) - this.#used[standing] > BREATHS[standing]
    return { slots, isCut: isOut('unproven') || isOut('failing') }
  }

  take(endpointId: string): void {
    const pace = this.#paceOf(endpointId)
    pace.inFlight += 1
    this.#used[pace.standing] += 1
    this.#inHand += 1
  }

  /** Its receiver may have the next one, while the result of this one is still to be written. */
  answered(endpointId: string): void {
    const pace = this.#paceOf(endpointId)
    pace.inFlight -= 1
    this.#used[pace.standing] -= 1
  }

  /** Its result is written. So many at most are not, however quickly receivers answer. */
  landed(): void {
    this.#inHand -= 1
  }

  /** Whether so many slots are free that it is worth a claim of its own. */
  isHungry(endpointId: string): boolean {
    const { limit, inFlight } = this.#paceOf(endpointId)
    return inFlight <= limit / 2
  }

  succeeded(endpointId: string, durationMs: number): void {
    const pace = this.#paceOf(endpointId)
    if (durationMs > SLOW_MS) {
      pace.limit = halved(pace.limit)
      return
    }
    pace.limit = Math.min(MAX_PER_ENDPOINT, pace.limit + (pace.standing === 'proven' ? 1 : FIRST_SUCCESS_BONUS))
    this.#setStanding(pace, 'proven')
  }

  failed(endpointId: string): void {
    const pace = this.#paceOf(endpointId)
    pace.limit = halved(pace.limit)
    if (pace.limit === 1) this.#setStanding(pace, 'failing')
  }

  /** A request waits for its answer and has become slow. */
  stalled(endpointId: string): void {
    const pace = this.#paceOf(endpointId)
    pace.limit = 1
    this.#setStanding(pace, 'failing')
  }

  #paceOf(endpointId: string, standing: Standing = 'unproven'): Pace {
    const known = this.#paces.get(endpointId)
    if (known) return known
    const pace: Pace = { standing, limit: 1, inFlight: 0 }
    this.#paces.set(endpointId, pace)
    return pace
  }

  #setStanding(pace: Pace, standing: Standing): void {
    this.#used[pace.standing] -= pace.inFlight
    this.#used[standing] += pace.inFlight
    pace.standing = standing
  }

  #forgetIdle(): void {
    if (this.#paces.size <= MAX_REMEMBERED) return
    for (const [endpointId, pace] of this.#paces) if (pace.inFlight === 0) this.#paces.delete(endpointId)
  }
}

function shareOf(standing: Standing): number {
  return Math.floor(TOTAL_SLOTS * SHARES[standing])
}

function roomsOf(used: Record<Standing, number>, inHand: number): Record<Standing | 'all', number> {
  const room = (standing: Standing) => Math.min(shareOf(standing) - used[standing], BREATHS[standing])
  return { proven: room('proven'), unproven: room('unproven'), failing: room('failing'), all: TOTAL_SLOTS - inHand }
}

function halved(limit: number): number {
  return Math.max(1, Math.floor(limit / 2))
}
