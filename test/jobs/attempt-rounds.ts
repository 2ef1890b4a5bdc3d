import { until } from '../support/until.ts'
import type { WebhookFixture } from '../support/webhook-fixture.ts'

/** The delay of each delivery after each attempt, in seconds of the database’s clock. */
type Delays = Map<string, number[]>

/**
 * Runs all attempts of every delivery without waiting: when nothing is due, waiting deliveries are made due, after their
 * delays were read. Each round begins in a later second than the one before, by the clock that signs.
 */
export async function runAllAttempts(
  { database: { client } }: WebhookFixture,
  { nudge, afterRound = async () => {} }: { nudge: () => void; afterRound?: (round: number) => Promise<void> },
): Promise<Delays> {
  const delays: Delays = new Map()
  const isAtRest = async () => {
    const busy = await client`
      select from webhook_deliveries where state = 'sending' or state = 'pending' and next_attempt_at <= now() limit 1`
    return busy.length === 0
  }
  const hasNewSecond = async () => {
    const [row] = await client<{ passed: boolean }[]>`
      select date_trunc('second', now()) > max(started_at) as passed from webhook_attempts`
    return row?.passed === true
  }
  for (let round = 1; ; round += 1) {
    await until(`round ${round} is over`, isAtRest, 30_000)
    const waiting = await client<{ id: string; seconds: number }[]>`
      select d.id, extract(epoch from d.next_attempt_at - a.finished_at)::float8 as seconds
        from webhook_deliveries d join webhook_attempts a on a.team_id = d.team_id and a.id = d.attempt_id
       where d.state = 'pending'`
    await afterRound(round)
    if (waiting.length === 0) return delays
    for (const { id, seconds } of waiting) delays.set(id, [...(delays.get(id) ?? []), seconds])
    await until('another second has begun', hasNewSecond)
    await client`update webhook_deliveries set next_attempt_at = now() where state = 'pending'`
    nudge()
  }
}
