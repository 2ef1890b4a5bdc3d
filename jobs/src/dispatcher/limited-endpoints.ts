import type { ClaimedDelivery, DueEndpoint } from '@earshot/db/dispatch'

/** The shortest pause between two claims for an endpoint that has used up its limit: what it misses, the next claim catches up. */
const LEAST_PAUSE_MS = 40

/** Endpoints that have used up their limit for now: a claim would get nothing for them. */
export class LimitedEndpoints {
  readonly #until = new Map<string, number>()

  /** Whether to leave an endpoint out of claims. */
  has(endpointId: string): boolean {
    const until = this.#until.get(endpointId)
    return until !== undefined && until > performance.now()
  }

  /** Returns when the first of these endpoints may get more, on the clock of `performance.now`; infinite if none has to wait. */
  firstUntil(endpoints: ReadonlyMap<string, unknown>): number {
    let first = Number.POSITIVE_INFINITY
    for (const [endpointId, until] of this.#until) if (until < first && endpoints.has(endpointId) && this.has(endpointId)) first = until
    return first
  }

  /** A poll has found these endpoints. It knows what other workers sent, and limits that changed. */
  found(endpoints: readonly DueEndpoint[]): void {
    const now = performance.now()
    for (const [endpointId, until] of this.#until) {
      if (until <= now) this.#until.delete(endpointId)
      else this.#until.set(endpointId, Math.min(until, now + LEAST_PAUSE_MS))
    }
    for (const { endpoint_id, limited_for_ms } of endpoints) {
      if (limited_for_ms > 0) this.#until.set(endpoint_id, Math.max(this.#until.get(endpoint_id) ?? 0, now + limited_for_ms))
    }
  }

  /** Deliveries of an endpoint were claimed. Returns whether its limit ended the claim, or may have: more may be due. */
  claimed({ endpoint_id, max_per_second }: DueEndpoint, deliveries: readonly ClaimedDelivery[]): boolean {
    const [first] = deliveries
    // Without any, another worker claims for it at this moment, or has.
    if (first === undefined ? max_per_second === null : (first.limited_for_ms ?? 0) <= 0) return false
    this.#until.set(endpoint_id, performance.now() + Math.max(LEAST_PAUSE_MS, first?.limited_for_ms ?? 0))
    return true
  }
}
