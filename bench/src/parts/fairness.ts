import { setTimeout as delay } from 'node:timers/promises'
import { median, quantile } from '../figures.ts'
import type { Receipts } from '../receiver.ts'
import { type Finding, type PartReport, table } from '../report.ts'
import { type Team, tidy } from '../teams.ts'
import { openWebhookFixture, type WebhookFixture } from '../webhooks/fixture.ts'
import { atRate } from '../webhooks/steady-rate.ts'

const HEALTHY_ENDPOINTS = 4
const EVENTS_PER_SECOND = 25
/** The time to close open requests and write the rest. */
const SETTLE_MS = 2_000
const TICK_MS = 100
/** The time to vacuum, and to write a checkpoint. */
const TIDY_MS = 6_000
/** How many deliveries are written in a millisecond on a slow machine. */
const ROWS_PER_MS = 8
const GOALS = { p50: 1.1, p99: 1.25 }

/** Endpoints that disturb the healthy ones, with the number of deliveries due for each. All share the origin of the healthy ones. */
interface Noise {
  name: string
  endpoints: number
  path: 'unresponsive' | 'slow' | 'flooded'
  due: number
  isFailing?: boolean
}

const noises: Noise[] = [
  { name: 'one dead, 100,000 due', endpoints: 1, path: 'unresponsive', due: 100_000 },
  { name: 'one slow (5 s), 100,000 due', endpoints: 1, path: 'slow', due: 100_000 },
  { name: 'one flooded, 100,000 due', endpoints: 1, path: 'flooded', due: 100_000 },
  { name: '200 dead, unknown', endpoints: 200, path: 'unresponsive', due: 5 },
  { name: '600 dead, known as failing', endpoints: 600, path: 'unresponsive', due: 5, isFailing: true },
  { name: '50 slow (5 s)', endpoints: 50, path: 'slow', due: 100 },
]

/**
 * Measures how soon deliveries arrive at healthy endpoints next to dead, slow or flooded ones, against the time just before:
 * medians over pairs.
 */
export async function benchFairness({ pairs, pairSeconds: seconds }: { pairs: number; pairSeconds: number }): Promise<PartReport> {
  await using fixture = await openWebhookFixture({ teams: 2 })
  const [healthy, noisy] = fixture.teams as [Team, Team]
  await fixture.addEndpoints(healthy, HEALTHY_ENDPOINTS, 'healthy')
  await listenTo(fixture, healthy, seconds)
  const windows = () => new Map(noises.map(({ name }) => [name, [] as Receipts[]]))
  const quiet = windows()
  const disturbed = windows()
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const noise of noises) {
      quiet.get(noise.name)?.push(await listenTo(fixture, healthy, seconds))
      await begin(fixture, noisy, noise)
      disturbed.get(noise.name)?.push(await listenTo(fixture, healthy, seconds))
      await end(fixture, noisy)
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
      { what: `p50 next to ${name}`, figure: times(p50), goal: `≤ ${GOALS.p50}`, met: p50 <= GOALS.p50 },
      { what: `p99 next to ${name}`, figure: times(p99), goal: `≤ ${GOALS.p99} or one tick`, met: p99 <= GOALS.p99 || moreMs <= TICK_MS },
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
    title: `Deliveries to healthy endpoints next to bad ones, a separate worker, ${EVENTS_PER_SECOND} events/s`,
    findings,
    details: [table(['next to', 'p50 ms', 'p90 ms', 'p99 ms', 'worst ms', 'deliveries', 'to bad endpoints/s'], rows)],
  }
}

async function listenTo({ receiver, emit, waitForReceipts }: WebhookFixture, team: Team, seconds: number): Promise<Receipts> {
  await receiver.call('forget')
  await atRate({ perSecond: EVENTS_PER_SECOND, seconds }, () => emit(team))
  return waitForReceipts(EVENTS_PER_SECOND * seconds * HEALTHY_ENDPOINTS)
}

/** Adds endpoints that no worker knows yet. Their deliveries become due when all is written, so that nothing else is measured. */
async function begin(
  { database, addEndpoints }: WebhookFixture,
  team: Team,
  { endpoints, path, due, isFailing = false }: Noise,
): Promise<void> {
  const ids = await addEndpoints(team, endpoints, path, { isFailing })
  const dueAt = Date.now() + TIDY_MS + (endpoints * due) / ROWS_PER_MS
  await database.client`
    with made as materialized (select emit_event(${team.id}, null, 'submission.rejected', '{}') as event_id)
    insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, next_attempt_at)
    select ${team.id}, endpoint_id, event_id, 'submission.rejected', '', to_timestamp(${dueAt / 1000})
      from made, unnest(${ids}::uuid[]) endpoint_id, generate_series(1, ${due}::int)`
  await tidy(database)
  await delay(Math.max(0, dueAt - Date.now()))
}

async function end({ database, receiver }: WebhookFixture, { id }: Team): Promise<void> {
  await database.client.begin(async (tx) => {
    await tx`update webhook_endpoints set state = 'paused' where team_id = ${id}`
    await tx`delete from webhook_deliveries where team_id = ${id} and state = 'pending'`
  })
  await receiver.call('release')
  await delay(SETTLE_MS)
  await database.client`delete from webhook_deliveries where team_id = ${id}`
  await database.client`delete from webhook_endpoints where team_id = ${id}`
  await tidy(database)
  await delay(SETTLE_MS)
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
