import type { DueEndpoint } from '@earshot/db/dispatch'

/** How long an endpoint counts as recent, and as active, after something was claimed for it. */
export const RECENT_MS = 60_000
const ACTIVE_MS = 1_000
/** Beyond it the team that was served longest ago is forgotten. */
const MAX_TEAMS = 10_000
/** More active endpoints than this are left to the polls. */
const MAX_ACTIVE = 100

export interface Recent {
  endpoint: DueEndpoint
  claimedAt: number
}

/** The endpoints for which a worker claimed something lately: it may claim for them again without a poll. */
export class RecentEndpoints {
  /** The team that was served longest ago first. */
  readonly #teams = new Map<string, Map<string, Recent>>()
  readonly #active = new Map<string, Recent>()

  /** Something was claimed for an endpoint; nothing that was due before `due_since` is left. */
  add(endpoint: DueEndpoint): void {
    const { team_id, endpoint_id } = endpoint
    const recent = { endpoint, claimedAt: performance.now() }
    const endpoints = this.#teams.get(team_id) ?? new Map<string, Recent>()
    endpoints.set(endpoint_id, recent)
    this.#teams.delete(team_id)
    this.#teams.set(team_id, endpoints)
    this.#active.set(endpoint_id, recent)
    const [oldest] = this.#teams.keys()
    if (this.#teams.size > MAX_TEAMS && oldest !== undefined) this.#teams.delete(oldest)
  }

  /** Nothing may be sent to an endpoint. */
  remove({ team_id, endpoint_id }: Pick<DueEndpoint, 'team_id' | 'endpoint_id'>): void {
    this.#teams.get(team_id)?.delete(endpoint_id)
    this.#active.delete(endpoint_id)
  }

  /** Returns the recent endpoints of a team. */
  of(teamId: string): DueEndpoint[] {
    return takeFresh(this.#teams.get(teamId), RECENT_MS)
  }

  /** Returns the endpoints for which something was claimed within a second; none if they are many. */
  active(): DueEndpoint[] {
    const active = takeFresh(this.#active, ACTIVE_MS)
    return active.length > MAX_ACTIVE ? [] : active
  }
}

/** Returns what was claimed for lately, and forgets the rest. */
export function takeFresh(endpoints: Map<string, Recent> | undefined, maxMs: number): DueEndpoint[] {
  if (!endpoints) return []
  const since = performance.now() - maxMs
  for (const [id, { claimedAt }] of endpoints) if (claimedAt < since) endpoints.delete(id)
  return [...endpoints.values()].map(({ endpoint }) => endpoint)
}
