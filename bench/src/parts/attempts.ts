import type { Sql } from 'postgres'
import { openPlain } from '../plain-client.ts'
import { findPostgres } from '../postgres-process.ts'
import type { PartReport } from '../report.ts'
import type { Team } from '../teams.ts'
import { type Cost, costOf, costsTable, medianOf } from '../webhooks/cost.ts'
import { openWebhookFixture, type WebhookFixture } from '../webhooks/fixture.ts'

const ENDPOINTS = 10
const SMALL = 10_000
const DAYS = 29
const GOAL = 1.2

/** Measures a delivery next to a month of stored attempts, against a few. */
export async function benchAttempts({
  rounds,
  deliveries,
  attempts,
}: {
  rounds: number
  deliveries: number
  attempts: number
}): Promise<PartReport> {
  await using small = await openWebhookFixture()
  await using large = await openWebhookFixture()
  const databases = { [`${SMALL} stored`]: small, [`${attempts} stored`]: large }
  await prepare(small, SMALL)
  await prepare(large, attempts)
  const costs: Record<string, Cost[]> = Object.fromEntries(Object.keys(databases).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, fixture] of Object.entries(databases)) {
      const cost = await send(fixture, deliveries)
      if (round > 0) costs[name]?.push(cost)
    }
  }
  const [few = [], many = []] = Object.values(costs)
  const growth = medianOf(many, 'microseconds') / medianOf(few, 'microseconds')
  return {
    title: `Deliveries with ${attempts} stored attempts, against ${SMALL}`,
    findings: [{ what: 'processor time per delivery', figure: `× ${growth.toFixed(2)}`, goal: `≤ ${GOAL}`, met: growth <= GOAL }],
    details: [costsTable(costs)],
  }
}

async function send({ service, database, receiver, emit, waitForReceipts, teams }: WebhookFixture, deliveries: number): Promise<Cost> {
  const [team] = teams as [Team]
  await receiver.call('forget')
  const postgresPid = await findPostgres(database)
  return costOf({ pid: service.pid, postgresPid }, deliveries, async () => {
    await emit(team, deliveries / ENDPOINTS)
    await waitForReceipts(deliveries)
  })
}

/** Stores a month of deliveries with two attempts each, in a partition for each day. */
async function prepare({ service, addEndpoints, teams }: WebhookFixture, attempts: number): Promise<void> {
  const [team] = teams as [Team]
  const endpoints = await addEndpoints(team, ENDPOINTS, 'busy')
  const owner = openPlain(service.address, 1, { synchronous_commit: 'off' })
  try {
    for (let daysAgo = DAYS; daysAgo > 1; daysAgo -= 1) await createPartitions(owner, daysAgo)
    await owner`
      create temporary table past as
      select uuidv7(-make_interval(secs => random() * 86400 * ${DAYS - 1} + 60)) as id, (${endpoints}::uuid[])[1 + i % ${ENDPOINTS}::int] as endpoint_id
        from generate_series(1, ${attempts / 2}::int) i
       order by 1`
    await owner`
      insert into webhook_delivery_history (team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count, finished_at)
      select ${team.id}, id, endpoint_id, id, 'submission.created', md5(id::text), 'succeeded', 'auto', 2, now()
        from past`
    await owner`
      insert into webhook_attempts (team_id, id, delivery_id, endpoint_id, number, trigger, worker_id, finished_at, duration_ms, status_code, response_body)
      select ${team.id}, uuidv7(uuid_extract_timestamp(id) - clock_timestamp() + make_interval(secs => number)), id, endpoint_id, number, 'auto', 1, now(), 12,
             case number when 1 then 503 else 200 end, 'ok'
        from past, generate_series(1, 2) number`
    await owner`vacuum analyze`
    await owner`checkpoint`
  } finally {
    await owner.end()
  }
}

/** Creates the partitions of a past day; the service creates those of today and later only. */
async function createPartitions(owner: Sql, daysAgo: number): Promise<void> {
  const [day] = await owner<[{ first: string; end: string }]>`
    select uuid_at(start) as first, uuid_at(start + interval '1 day') as end
      from (select date_trunc('day', now(), 'UTC') - make_interval(days => ${daysAgo}::int) as start) day`
  for (const table of ['webhook_attempts', 'webhook_delivery_history'])
    await owner.unsafe(`create table ${table}_${daysAgo}_days_ago partition of ${table} for values from ('${day.first}') to ('${day.end}')`)
}
