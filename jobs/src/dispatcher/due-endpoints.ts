import type { ClaimedDelivery, DueEndpoint } from '@earshot/db/dispatch'
import { LimitedEndpoints } from './limited-endpoints.ts'
import { RecentEndpoints } from './recent-endpoints.ts'

/** Transactions that commit late: what is due may have been due for this long when it can first be seen. */
export const LATE_COMMIT_MS = 1_000

type EndpointKey = Pick<DueEndpoint, 'team_id' | 'endpoint_id'>

/** The endpoints for which a worker claims: those that its last poll found, and between two polls those that it knows. */
export class DueEndpoints {
  #due = new Map<string, DueEndpoint>()
  #changedTeams = new Set<string>()
  readonly #recent = new RecentEndpoints()
  readonly #limited = new LimitedEndpoints()

  /** Endpoints that have, or may have, more due than was claimed, and may get it now. */
  get list(): DueEndpoint[] {
    return [...this.#due.values()].filter(({ endpoint_id }) => !this.#limited.has(endpoint_id))
  }

  /** Whether the list has any. */
  get areSome(): boolean {
    for (const endpointId of this.#due.keys()) if (!this.#limited.has(endpointId)) return true
    return false
  }

  /** Whether nothing is due, not even for endpoints that have used up their limit. */
  get areNone(): boolean {
    return this.#due.size === 0
  }

  /** When the first endpoint that has used up its limit may get more, on the clock of `performance.now`; infinite without any. */
  get nextTurnAt(): number {
    return this.#limited.firstUntil(this.#due)
  }

  /** Whether something was claimed within a second for an endpoint that may get more now. */
  get areActive(): boolean {
    return this.#recent.active().some(({ endpoint_id }) => !this.#limited.has(endpoint_id))
  }

  has(endpointId: string): boolean {
    return this.#due.has(endpointId) && !this.#limited.has(endpointId)
  }

  /** A poll has found what is due; nothing may be sent to the unsendable ones. */
  found({ due, unsendable }: { due: readonly DueEndpoint[]; unsendable: readonly EndpointKey[] }): void {
    this.#due = new Map(due.map((endpoint) => [endpoint.endpoint_id, endpoint]))
    this.#limited.found(due)
    for (const endpoint of unsendable) this.#recent.remove(endpoint)
  }

  /** A team changed. Returns whether there are recent endpoints of it, for which a claim needs no poll. */
  changed(teamId: string): boolean {
    if (this.#recent.of(teamId).length === 0) return false
    this.#changedTeams.add(teamId)
    return true
  }

  /** Returns the teams that changed since the last call. Call it before what it returns is claimed for. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changedTeams
    this.#changedTeams = new Set()
    return changed
  }

  /** Adds the recent endpoints of teams, and all active ones if asked. */
  addRecent(teams: ReadonlySet<string>, { withActive }: { withActive: boolean }): void {
    const recent = [...[...teams].flatMap((teamId) => this.#recent.of(teamId)), ...(withActive ? this.#recent.active() : [])]
    for (const endpoint of recent) if (!this.#due.has(endpoint.endpoint_id)) this.#due.set(endpoint.endpoint_id, { ...endpoint })
  }

  /**
   * Deliveries of an endpoint were claimed. One that had less due than free slots is forgotten, unless its limit ended the claim; the
   * others go on where the claim ended.
   */
  claimed(endpointId: string, deliveries: readonly ClaimedDelivery[], free: number): void {
    const endpoint = this.#due.get(endpointId)
    if (!endpoint) return
    const isLimited = this.#limited.claimed(endpoint, deliveries)
    if (deliveries.length < free && !isLimited) this.#due.delete(endpointId)
    const last = lastDue(deliveries)
    if (last === undefined) return
    endpoint.due_since = last
    // A test delivery is due before all others of its endpoint, so it was claimed.
    endpoint.is_tested = false
    this.#recent.add({ ...endpoint, due_since: new Date(Date.parse(last) - LATE_COMMIT_MS).toISOString() })
  }
}

/** Returns when the last of these deliveries was due: all that the claim left are due later. */
function lastDue(claimed: readonly ClaimedDelivery[]): string | undefined {
  return claimed.toSorted((one, other) => one.waited - other.waited)[0]?.due_at
}
