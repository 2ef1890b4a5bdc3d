import type { Receiver } from './receiver.ts'
import type { WebhookFixture } from './webhook-fixture.ts'

/** What was sent to an endpoint, or came to its receiver. */
export interface Arrivals {
  count: number
  /** From the first to the last. */
  seconds: number
  /** The most within any second. */
  mostPerSecond: number
}

/** What came to a path of a receiver, by its own clock. */
export function arrivalsAt(receiver: Receiver, path = '/'): Arrivals {
  return arrivalsOf(receiver.requests.filter((request) => request.path === path).map(({ arrivedAtMs }) => arrivedAtMs))
}

/** What all workers have begun to send to an endpoint, by the database's clock. */
export async function attemptsTo({ database }: Pick<WebhookFixture, 'database'>, endpointId: string): Promise<Arrivals> {
  const attempts = await database.run<{ at: number }>(
    'select extract(epoch from started_at)::float8 * 1000 as at from webhook_attempts where endpoint_id = $1',
    [endpointId],
  )
  return arrivalsOf(attempts.map(({ at }) => at))
}

/** Counts instants, given in milliseconds. */
function arrivalsOf(instants: readonly number[]): Arrivals {
  const times = instants.toSorted((one, other) => one - other)
  let mostPerSecond = 0
  let first = 0
  for (const [last, time] of times.entries()) {
    while (time - (times[first] ?? time) >= 1_000) first += 1
    mostPerSecond = Math.max(mostPerSecond, last - first + 1)
  }
  return { count: times.length, seconds: ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000, mostPerSecond }
}
