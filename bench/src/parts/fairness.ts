import { setTimeout as delay } from 'node:timers/promises'
import { median, quantile } from '../figures.ts'
import type { Receipts } from '../receiver.ts'
import { type Finding, type PartReport, table } from '../report.ts'
import { analyze, type Team } from '../teams.ts'
import { openWebhookGround, type WebhookGround } from '../webhooks/ground.ts'
import { atPace } from '../webhooks/pace.ts'

const HEALTHY_ENDPOINTS = 4
const EVENTS_PER_SECOND = 25
/** After a noise has ended: what hung is let go, and its results are written. */
const SETTLE_MS = 2_000
const TICK_MS = 100
const GOALS = { p50: 1.1, p99: 1.25 }

/** What disturbs the others: so many endpoints that behave so, with so many deliveries due for each. All on the others' origin. */
interface Noise {
  name: string
  endpoints: number
  path: 'silent' | 'slow' | 'flooded'
  due: number
  isFailing?: boolean
}

const noises: Noise[] = [
  { name: 'one dead, 100,000 due', endpoints: 1, path: 'silent', due: 100_000 },
  { name: 'one slow (5 s), 100,000 due', endpoints: 1, path: 'slow', due: 100_000 },
  { name: 'one flooded, 100,000 due', endpoints: 1, path: 'flooded', due: 100_000 },
  { name: '200 dead, never seen before', endpoints: 200, path: 'silent', due: 5 },
  { name: '600 dead, known to fail', endpoints: 600, path: 'silent', due: 5, isFailing: true },
  { name: '50 slow (5 s)', endpoints: 50, path: 'slow', due: 100 },
]

/** How soon the deliveries of healthy endpoints arrive beside endpoints that are dead, slow or flooded, and without them. */
export async function benchFairness({ rounds, seconds }: { rounds: number; seconds: number }): Promise<PartReport> {
  await using ground = await openWebhookGround({ teams: 2 })
  const [healthy, noisy] = ground.teams as [Team, Team]
  await ground.addEndpoints(healthy, HEALTHY_ENDPOINTS, 'healthy')
  await listenTo(ground, healthy, seconds)
  const quiet: number[] = []
  const disturbed = new Map(noises.map(({ name }) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const noise of noises) {
      quiet.push(...(await listenTo(ground, healthy, seconds)))
      await begin(ground, noisy, noise)
      disturbed.get(noise.name)?.push(...(await listenTo(ground, healthy, seconds)))
      await end(ground, noisy)
    }
  }
  return reportOf(quiet, disturbed)
}

function reportOf(quiet: number[], disturbed: Map<string, number[]>): PartReport {
  const still = { p50: median(quiet), p99: quantile(quiet, 0.99) }
  const findings = [...disturbed].flatMap(([name, latencies]): Finding[] => {
    const [p50, p99] = [median(latencies), quantile(latencies, 0.99)]
    const isLateWithin = p99 <= Math.max(still.p99 * GOALS.p99, still.p99 + TICK_MS)
    return [
      { what: `p50 beside ${name}`, figure: times(p50 / still.p50), goal: `≤ ${GOALS.p50}`, met: p50 <= still.p50 * GOALS.p50 },
      { what: `p99 beside ${name}`, figure: times(p99 / still.p99), goal: `≤ ${GOALS.p99} or one tick`, met: isLateWithin },
    ]
  })
  const rows = [['nothing', quiet] as const, ...disturbed].map(([name, latencies]) => [
    name,
    ...[0.5, 0.9, 0.99, 1].map((share) => quantile(latencies, share).toFixed(0)),
    String(latencies.length),
  ])
  return {
    title: `Deliveries to healthy endpoints beside bad ones, a worker apart, ${EVENTS_PER_SECOND} events/s`,
    findings,
    details: [table(['beside', 'p50 ms', 'p90 ms', 'p99 ms', 'worst ms', 'deliveries'], rows)],
  }
}

async function listenTo({ receiver, emit, arrival }: WebhookGround, team: Team, seconds: number): Promise<Receipts['latenciesMs']> {
  await receiver.ask('forget')
  await atPace({ perSecond: EVENTS_PER_SECOND, seconds }, () => emit(team))
  return (await arrival(EVENTS_PER_SECOND * seconds * HEALTHY_ENDPOINTS)).latenciesMs
}

/** Endpoints that no worker has met, with what is due for them. */
async function begin(
  { database, addEndpoints }: WebhookGround,
  { id }: Team,
  { endpoints, path, due, isFailing = false }: Noise,
): Promise<void> {
  await database.client`update teams set plan = 'free' where id = ${id}`
  const ids = await addEndpoints({ id } as Team, endpoints, path, { isFailing })
  await database.client`
    with made as materialized (select emit_event(${id}, null, 'submission.rejected', '{}') as event_id)
    insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256)
    select ${id}, endpoint_id, event_id, 'submission.rejected', ''
      from made, unnest(${ids}::uuid[]) endpoint_id, generate_series(1, ${due}::int)`
  await analyze(database)
  await database.client`update teams set plan = 'business' where id = ${id}`
}

async function end({ database, receiver }: WebhookGround, { id }: Team): Promise<void> {
  await database.client`update webhook_endpoints set state = 'paused' where team_id = ${id}`
  await receiver.ask('release')
  await delay(SETTLE_MS)
  await database.client`delete from webhook_deliveries where team_id = ${id}`
  await database.client`delete from webhook_endpoints where team_id = ${id}`
}

function times(ratio: number): string {
  return `× ${ratio.toFixed(2)}`
}
