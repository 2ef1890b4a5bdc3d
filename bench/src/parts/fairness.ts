import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import { median, quantile } from '../figures.ts'
import type { Receipts } from '../receiver.ts'
import { type Finding, type PartReport, table } from '../report.ts'
import { analyze, type Team } from '../teams.ts'
import { openWebhookGround, type WebhookGround } from '../webhooks/fixture.ts'
import { atPace } from '../webhooks/steady-rate.ts'

const HEALTHY_ENDPOINTS = 4
const EVENTS_PER_SECOND = 25
/** What hung is let go, and what is left to write is written. */
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

/**
 * How soon the deliveries of healthy endpoints arrive beside endpoints that are dead, slow or flooded, and right before them:
 * medians over the pairs.
 */
export async function benchFairness({ pairs, pairSeconds: seconds }: { pairs: number; pairSeconds: number }): Promise<PartReport> {
  await using ground = await openWebhookGround({ teams: 2 })
  const [healthy, noisy] = ground.teams as [Team, Team]
  await ground.addEndpoints(healthy, HEALTHY_ENDPOINTS, 'healthy')
  await listenTo(ground, healthy, seconds)
  const windows = () => new Map(noises.map(({ name }) => [name, [] as Receipts[]]))
  const quiet = windows()
  const disturbed = windows()
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const noise of noises) {
      quiet.get(noise.name)?.push(await listenTo(ground, healthy, seconds))
      await begin(ground, noisy, noise)
      disturbed.get(noise.name)?.push(await listenTo(ground, healthy, seconds))
      await end(ground, noisy)
    }
  }
  return reportOf(quiet, disturbed, seconds)
}

function reportOf(quiet: Map<string, Receipts[]>, disturbed: Map<string, Receipts[]>, seconds: number): PartReport {
  const findings = [...disturbed].flatMap(([name, windows]): Finding[] => {
    const before = quiet.get(name) ?? []
    const growth = (share: number) => median(windows.map((window, round) => at(window, share) / at(before[round], share)))
    const moreMs = median(windows.map((window, round) => at(window, 0.99) - at(before[round], 0.99)))
    const [p50, p99] = [growth(0.5), growth(0.99)]
    return [
      { what: `p50 beside ${name}`, figure: times(p50), goal: `≤ ${GOALS.p50}`, met: p50 <= GOALS.p50 },
      { what: `p99 beside ${name}`, figure: times(p99), goal: `≤ ${GOALS.p99} or one tick`, met: p99 <= GOALS.p99 || moreMs <= TICK_MS },
    ]
  })
  const still = [...quiet.values()].flat()
  const rows = [['nothing', still] as const, ...disturbed].map(([name, windows]) => [
    name,
    ...[0.5, 0.9, 0.99, 1].map((share) => quantile(latenciesOf(windows), share).toFixed(0)),
    String(latenciesOf(windows).length),
    (windows.reduce((sum, { others }) => sum + others, 0) / windows.length / seconds).toFixed(0),
  ])
  return {
    title: `Deliveries to healthy endpoints beside bad ones, a worker apart, ${EVENTS_PER_SECOND} events/s`,
    findings,
    details: [table(['beside', 'p50 ms', 'p90 ms', 'p99 ms', 'worst ms', 'deliveries', 'to the bad ones/s'], rows)],
  }
}

async function listenTo({ receiver, emit, arrival }: WebhookGround, team: Team, seconds: number): Promise<Receipts> {
  await receiver.ask('forget')
  await atPace({ perSecond: EVENTS_PER_SECOND, seconds }, () => emit(team))
  return arrival(EVENTS_PER_SECOND * seconds * HEALTHY_ENDPOINTS)
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
  await flush(database)
  await database.client`update teams set plan = 'business' where id = ${id}`
}

/** What making them has left to write is not to be counted. */
async function flush({ client }: Database): Promise<void> {
  await client.begin(async (tx) => {
    await tx`set local role none`
    await tx`checkpoint`
  })
  await delay(SETTLE_MS)
}

async function end({ database, receiver }: WebhookGround, { id }: Team): Promise<void> {
  await database.client`update webhook_endpoints set state = 'paused' where team_id = ${id}`
  await receiver.ask('release')
  await delay(SETTLE_MS)
  await database.client`delete from webhook_deliveries where team_id = ${id}`
  await database.client`delete from webhook_endpoints where team_id = ${id}`
}

function at(window: Receipts | undefined, share: number): number {
  return quantile(window?.latenciesMs ?? [], share)
}

function latenciesOf(windows: readonly Receipts[]): number[] {
  return windows.flatMap(({ latenciesMs }) => latenciesMs)
}

function times(ratio: number): string {
  return `× ${ratio.toFixed(2)}`
}
