import { ApiError, type EndpointStats } from '@earshot/contracts'
import {
  type AttemptFigures,
  addAttempts,
  latencyPercentile,
  listEndpointStats,
  noAttempts,
  type PageQuery,
  readEndpointStats,
  type EndpointStats as StoredStats,
  type Tx,
} from '@earshot/db'
import { hoursOf, startsOf } from './stats-range.ts'

/** A share has four decimals. */
const SHARES = 10_000

interface StatsInput {
  team_id: string
  webhook_id: string
  from?: string | undefined
  to?: string | undefined
}

/** Reads the figures of an endpoint, with those hours that had no attempts. Throws `not_found`, `validation_error`. */
export async function endpointStats(tx: Tx, { team_id, webhook_id, ...range }: StatsInput): Promise<EndpointStats> {
  const asked = hoursOf(range)
  const found = await readEndpointStats(tx, { team_id, webhook_id }, asked)
  if (!found) throw new ApiError('not_found')
  const { hours } = found
  const series = startsOf(asked).map((start) => ({ start, ...presentFigures(hours.get(start) ?? noAttempts()) }))
  return { ...presentSummary(webhook_id, asked, found), series }
}

/** Lists the figures of the last hours of all endpoints of a team, in the order of the endpoints. */
export function listSummaries(tx: Tx, input: PageQuery & { team_id: string }) {
  const asked = hoursOf({})
  return listEndpointStats(tx, { ...input, ...asked }, (id, stats) => ({ ...presentSummary(id, asked, stats), latest: latestOf(stats) }))
}

function presentSummary(endpoint_id: string, asked: { from: string; to: string }, { hours, ...backlog }: StoredStats) {
  const totals = noAttempts()
  for (const figures of hours.values()) addAttempts(totals, figures)
  return { endpoint_id, ...asked, totals: presentFigures(totals), backlog }
}

function latestOf({ hours }: StoredStats) {
  const start = [...hours.keys()].sort().at(-1)
  return start === undefined ? null : { start, ...presentFigures(hours.get(start) ?? noAttempts()) }
}

function presentFigures({ succeeded, retried, latency_counts, ...failed }: AttemptFigures): EndpointStats['totals'] {
  const causes = {
    response: failed.bad_responses,
    timeout: failed.timeouts,
    connection: failed.connection_errors,
    interrupted: failed.interrupted,
  }
  const failures = Object.values(causes).reduce((sum, count) => sum + count, 0)
  const attempts = succeeded + failures
  return {
    attempts,
    succeeded,
    failed: failures,
    retried,
    final: failures - retried,
    causes,
    // Rounded down: 1 means that none failed.
    success_share: attempts === 0 ? null : Math.floor((SHARES * succeeded) / attempts) / SHARES,
    p50_ms: latencyPercentile(latency_counts, 50),
    p95_ms: latencyPercentile(latency_counts, 95),
    p99_ms: latencyPercentile(latency_counts, 99),
  }
}
