import type { EndpointStats } from '@earshot/contracts'
import { type AttemptFigures, addAttempts, latencyPercentile, noAttempts, readEndpointStats, type Tx } from '@earshot/db'
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
  const { hours, ...backlog } = await readEndpointStats(tx, { team_id, webhook_id }, asked)
  const totals = noAttempts()
  for (const figures of hours.values()) addAttempts(totals, figures)
  return {
    endpoint_id: webhook_id,
    ...asked,
    totals: presentFigures(totals),
    series: startsOf(asked).map((start) => ({ start, ...presentFigures(hours.get(start) ?? noAttempts()) })),
    backlog,
  }
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
