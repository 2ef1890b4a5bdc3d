import type { Sql } from 'postgres'
import { openPlain } from '../plain-client.ts'
import { findPostgres } from '../postgres-process.ts'
import type { PartReport } from '../report.ts'
import type { Team } from '../teams.ts'
import { type Cost, costOf, costsTable, middle } from '../webhooks/cost.ts'
import { openWebhookGround, type WebhookGround } from '../webhooks/fixture.ts'

const ENDPOINTS = 10
const SMALL = 10_000
const DAYS = 29
const GOAL = 1.2

/** What a month of stored attempts costs a delivery, beside a day's few. */
export async function benchAttempts({
  rounds,
  deliveries,
  attempts,
}: {
  rounds: number
  deliveries: number
  attempts: number
}): Promise<PartReport> {
  await using small = await openWebhookGround()
  await using large = await openWebhookGround()
  const grounds = { [`${SMALL} stored`]: small, [`${attempts} stored`]: large }
  await prepare(small, SMALL)
  await prepare(large, attempts)
  const costs: Record<string, Cost[]> = Object.fromEntries(Object.keys(grounds).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, ground] of Object.entries(grounds)) {
      const cost = await send(ground, deliveries)
      if (round > 0) costs[name]?.push(cost)
    }
  }
  const [few = [], many = []] = Object.values(costs)
  const growth = middle(many, 'microseconds') / middle(few, 'microseconds')
  return {
    title: `Deliveries beside ${attempts} stored attempts, against ${SMALL}`,
    findings: [{ what: 'processor time of a delivery', figure: `× ${growth.toFixed(2)}`, goal: `≤ ${GOAL}`, met: growth <= GOAL }],
    details: [costsTable(costs)],
  }
}

async function send({ service, database, receiver, emit, arrival, teams }: WebhookGround, deliveries: number): Promise<Cost> {
  const [team] = teams as [Team]
  await receiver.ask('forget')
  const postgresPid = await findPostgres(database)
  return costOf({ pid: service.pid, postgresPid }, deliveries, async () => {
    await emit(team, deliveries / ENDPOINTS)
    await arrival(deliveries)
  })
}

/** Deliveries of a month that took two attempts each, as its days' partitions hold them. */
async function prepare({ service, addEndpoints, teams }: WebhookGround, attempts: number): Promise<void> {
  const [team] = teams as [Team]
  const endpoints = await addEndpoints(team, ENDPOINTS, 'busy')
  const owner = openPlain(service.address, 1, { synchronous_commit: 'off' })
  try {
    for (let daysAgo = DAYS; daysAgo > 1; daysAgo -= 1) await makePartition(owner, daysAgo)
    await owner`
      create temporary table past as
      select uuidv7(-make_interval(secs => random() * 86400 * ${DAYS - 1} + 60)) as id, (${endpoints}::uuid[])[1 + i % ${ENDPOINTS}::int] as endpoint_id
        from generate_series(1, ${attempts / 2}::int) i
       order by 1`
    await owner`
      insert into webhook_deliveries (team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, attempt_count, next_attempt_at, finished_at)
      select ${team.id}, id, endpoint_id, id, 'submission.created', md5(id::text), 'succeeded', 2, null, now()
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

/** The service makes those of today and of days to come only. */
async function makePartition(owner: Sql, daysAgo: number): Promise<void> {
  const [day] = await owner<[{ first: string; end: string }]>`
    select uuid_at(start) as first, uuid_at(start + interval '1 day') as end
      from (select date_trunc('day', now(), 'UTC') - make_interval(days => ${daysAgo}::int) as start) day`
  await owner.unsafe(
    `create table webhook_attempts_${daysAgo}_days_ago partition of webhook_attempts for values from ('${day.first}') to ('${day.end}')`,
  )
}
