import { type ClaimedDelivery, type DeliveryClaims, type EndpointSlots, LEASE_SECONDS } from '@earshot/db/dispatch'
import type { EndpointConcurrency } from './endpoint-concurrency.ts'
import type { Idleness } from './idleness.ts'
import { RECENT_MS, type Recent, takeFresh } from './recent-endpoints.ts'

/** Slots are reserved for the endpoints that were served last, no more than this: each is named in every statement. */
const MAX_ENDPOINTS = 16
/** Of a burst, whose statements have more events, one claim gets the deliveries of several statements: that costs less. */
const MAX_EVENTS = 4

export interface EarlyClaimsOptions {
  concurrency: EndpointConcurrency
  idleness: Idleness
  workerId: () => number
  /** Whether more may be due for an endpoint than was claimed: it goes on with claims. */
  isBehind: (endpointId: string) => boolean
  onReserving: () => void
  onClaimed: (delivery: ClaimedDelivery, claimedAtMs: number) => void
}

export interface EarlyClaims extends DeliveryClaims {
  /** A delivery was claimed: what comes for its endpoint next may be claimed as it is written. */
  served: (delivery: ClaimedDelivery) => void
  /** Reserves nothing more; resolves when the statements with reservations have ended. */
  close: () => Promise<void>
}

/**
 * Claims deliveries in the statements of this process that write them: a claim of its own would be a second round trip and a
 * second version of each row. Only for endpoints without a limit that were served lately and have slots free.
 */
export function createEarlyClaims(options: EarlyClaimsOptions): EarlyClaims {
  const { concurrency, idleness, workerId, isBehind, onReserving, onClaimed } = options
  /** The one that was served longest ago first. */
  const recent = new Map<string, Recent>()
  let isClosed = false
  let openReservations = 0
  const ended = Promise.withResolvers<void>()

  function served({ team_id, endpoint_id, limited_for_ms }: ClaimedDelivery): void {
    recent.delete(endpoint_id)
    if (limited_for_ms !== null) return
    const endpoint = { team_id, endpoint_id, due_since: '', is_failing: false, is_tested: false, max_per_second: null, limited_for_ms: 0 }
    recent.set(endpoint_id, { endpoint, claimedAt: performance.now() })
    const [oldest] = recent.keys()
    if (recent.size > MAX_ENDPOINTS && oldest !== undefined) recent.delete(oldest)
  }

  return {
    served,
    reserve(count) {
      // An idle worker is woken as a whole.
      if (isClosed || idleness.isIdle || count > MAX_EVENTS) return null
      const upToDate = takeFresh(recent, RECENT_MS).filter(({ endpoint_id }) => !isBehind(endpoint_id))
      const { slots: allotted } = concurrency.allot(upToDate)
      // Half of what is free is left to claims: the statement may wait.
      const slots = allotted.flatMap((slot) => (slot.free > 1 ? { ...slot, free: Math.min(Math.floor(slot.free / 2), count) } : []))
      if (slots.length === 0) return null
      for (const { endpoint_id, free } of slots) concurrency.reserved(endpoint_id, free)
      openReservations += 1
      // Before the statement, so that the process never takes a lease for younger than it is.
      const claimedAtMs = performance.now()
      onReserving()
      return {
        text: textOf(slots, workerId()),
        settle(claimed: readonly ClaimedDelivery[]) {
          for (const { endpoint_id, free } of slots) concurrency.released(endpoint_id, free)
          if (claimed.length > 0) idleness.noteWork()
          for (const delivery of claimed) {
            served(delivery)
            onClaimed(delivery, claimedAtMs)
          }
          openReservations -= 1
          if (isClosed && openReservations === 0) ended.resolve()
        },
      }
    },
    close() {
      isClosed = true
      if (openReservations === 0) ended.resolve()
      return ended.promise
    },
  }
}

function textOf(slots: readonly EndpointSlots[], worker_id: number): string {
  const counts = Object.fromEntries(slots.map(({ endpoint_id, free }) => [endpoint_id, free]))
  return JSON.stringify({ worker_id, lease_seconds: LEASE_SECONDS, slots: counts })
}
