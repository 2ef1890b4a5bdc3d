import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import { claimDeliveries, findDueEndpoints, registerWorker, removeWorker } from '@earshot/db/dispatch'
import type { Sql } from 'postgres'
import { median } from '../figures.ts'
import type { Receipts } from '../receiver.ts'
import type { Figure } from './figure.ts'
import type { Site } from './site.ts'
import type { Sizes } from './sizes.ts'

const CLAIMED = 20
const IDLE_LOOK_MS = 2
const POLL_MS = 20
const LONGEST_MS = 300_000

/** Times looks and claims while no worker runs. */
export async function measureClaims(
  { client, database }: { client: Sql; database: Database },
  { runs, due }: Pick<Sizes, 'runs' | 'due'>,
): Promise<Figure[]> {
  const idle = await medianOf(runs, () => findDueEndpoints(database))
  const workerId = await registerWorker(database, { jobPoolId: null })
  await insertDue(client, { count: due, endpoints: due })
  const look = await medianOf(runs, () => findDueEndpoints(database))
  const rounds = Math.floor(due / CLAIMED / 2)
  const claims: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const found = await findDueEndpoints(database)
    const slots = found.due.slice(0, CLAIMED).map((endpoint) => ({ ...endpoint, free: 1 }))
    const startedMs = performance.now()
    const claimed = await claimDeliveries(database, { workerId, slots })
    claims.push(performance.now() - startedMs)
    if (claimed.length !== CLAIMED) throw new Error(`A claim of ${CLAIMED} got ${claimed.length}.`)
  }
  await client`delete from webhook_deliveries where state = 'sending' or next_attempt_at <= now()`
  await client`delete from webhook_attempts where worker_id = ${workerId} and finished_at is null and id > uuid_at(now() - interval '1 hour')`
  await removeWorker(database, workerId)
  return [
    { what: 'an idle look for due deliveries', value: idle, unit: 'ms', max: IDLE_LOOK_MS },
    { what: `a look with ${due} due over ${due} endpoints`, value: look, unit: 'ms' },
    { what: `a claim of ${CLAIMED} of those`, value: median(claims), unit: 'ms' },
  ]
}

/** Measures how fast a running worker sends what becomes due at once. */
export async function measureBurst(
  { receiver }: Site,
  client: Sql,
  { due, burst, bursts }: Pick<Sizes, 'due' | 'burst' | 'bursts'>,
): Promise<Figure[]> {
  const rates: number[] = []
  for (let round = 0; round < bursts; round += 1) {
    await receiver.call('forget')
    const startedMs = performance.now()
    await insertDue(client, { count: burst, endpoints: due })
    while ((await receiver.call<Receipts>('read')).count < burst) {
      if (performance.now() - startedMs > LONGEST_MS) throw new Error('Deliveries that were due were not sent.')
      await delay(POLL_MS)
    }
    rates.push((burst * 1000) / (performance.now() - startedMs))
  }
  return [{ what: `deliveries of ${burst} due over ${due} endpoints`, value: median(rates), unit: '/s', isRate: true }]
}

/** Makes deliveries of their teams' last events due, the same number for each of the busiest endpoints. */
async function insertDue(client: Sql, { count, endpoints }: { count: number; endpoints: number }): Promise<void> {
  const { count: inserted } = await client`
    insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256)
    select e.team_id, e.endpoint_id, v.id, v.type, v.payload_sha256
      from generate_series(0, ${count - 1}::int) i
      join bench.endpoints e on e.number = 1 + i % ${endpoints}::int
     cross join lateral (
       select id, type, payload_sha256
         from events
        where team_id = e.team_id
        order by id desc
        limit 1
     ) v`
  if (inserted !== count) throw new Error(`Only ${inserted} of ${count} deliveries could be made: a team has no events.`)
}

async function medianOf(runs: number, act: () => Promise<unknown>): Promise<number> {
  const took: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const startedMs = performance.now()
    await act()
    took.push(performance.now() - startedMs)
  }
  return median(took)
}
