import { join } from 'node:path'
import { median, quantile } from '../figures.ts'
import { writeImportFile } from '../imports/file.ts'
import { type LiveReceiver, type LiveTimes, liveTraffic, startLiveReceiver } from '../imports/live-traffic.ts'
import { quiet } from '../imports/quiet.ts'
import { clientOf, runImport, uploadFile } from '../imports/run-import.ts'
import { type Finding, type PartReport, table } from '../report.ts'
import type { Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'
import { openWebhookFixture, type WebhookFixture } from '../webhooks/fixture.ts'

const CREATES_PER_SECOND = 20
const WARM_UP_SECONDS = 3
/** How long the paced webhooks of the import are watched after it. */
const AFTER_SECONDS = 10
const GOALS = { createP95: 3, webhookP50: 1.25, webhookP99Ms: 250 }

/** The live traffic of a team before an import, while it runs, and while its webhooks still go to the same endpoint. */
interface Pair {
  idle: LiveTimes
  during: LiveTimes
  after: LiveTimes
}

interface Lengths {
  beside: { rows: number; pairs: number; seconds: number }
}

/** Measures creates of a team, and the webhooks about them, beside an import of the same team whose events go to the same endpoint. */
export async function benchImportBeside({ beside: { rows, pairs: count, seconds } }: Lengths): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using fixture = await openWebhookFixture({ role: 'all', teams: count })
  await using receiver = await startLiveReceiver()
  const path = join(directory.path, 'testimonials.csv')
  await writeImportFile(path, { rows })
  const pairs: Pair[] = []
  for (const team of fixture.teams) pairs.push(await measure(fixture, team, { receiver, path, rows, seconds }))
  return {
    title: `Live creates and webhooks beside an import of ${rows} rows, ${CREATES_PER_SECOND} creates/s`,
    findings: findingsOf(pairs),
    details: [timesTable(pairs)],
  }
}

async function measure(
  { service, database }: WebhookFixture,
  team: Team,
  { receiver, path, rows, seconds }: { receiver: LiveReceiver; path: string; rows: number; seconds: number },
): Promise<Pair> {
  const client = clientOf(service, team)
  const project = { team_id: team.id, project_id: team.project_id }
  const rate = { perSecond: CREATES_PER_SECOND, receivedMs: receiver.receivedMs }
  const { id } = await client.webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
  const ref = await uploadFile(service, team, path)
  await liveTraffic(client, project, { ...rate, seconds: WARM_UP_SECONDS })
  await quiet(service, database)
  const idle = await liveTraffic(client, project, { ...rate, seconds })
  const ended = new AbortController()
  const traffic = liveTraffic(client, project, { ...rate, signal: ended.signal })
  await runImport(service, team, ref, rows).finally(() => ended.abort())
  const during = await traffic
  const after = await liveTraffic(client, project, { ...rate, seconds: AFTER_SECONDS })
  await client.webhooks.delete({ team_id: team.id, webhook_id: id })
  await database.client`delete from webhook_deliveries where team_id = ${team.id}`
  return { idle, during, after }
}

function findingsOf(pairs: Pair[]): Finding[] {
  const beside = ({ during, after }: Pair) => [...during.webhookMs, ...after.webhookMs]
  const growth = (share: number, idle: (pair: Pair) => number[], busy: (pair: Pair) => number[]) =>
    median(pairs.map((pair) => quantile(busy(pair), share) / quantile(idle(pair), share)))
  const create = growth(
    0.95,
    ({ idle }) => idle.createMs,
    ({ during }) => during.createMs,
  )
  const webhook = growth(0.5, ({ idle }) => idle.webhookMs, beside)
  const worstMs = median(pairs.map((pair) => quantile(beside(pair), 0.99)))
  return [
    { what: 'creates, p95 beside ÷ idle', figure: `× ${create.toFixed(2)}`, goal: `≤ ${GOALS.createP95}`, met: create <= GOALS.createP95 },
    {
      what: 'webhooks, p50 beside ÷ idle',
      figure: `× ${webhook.toFixed(2)}`,
      goal: `≤ ${GOALS.webhookP50}`,
      met: webhook <= GOALS.webhookP50,
    },
    {
      what: 'webhooks, p99 beside',
      figure: `${worstMs.toFixed(0)} ms`,
      goal: `≤ ${GOALS.webhookP99Ms} ms`,
      met: worstMs <= GOALS.webhookP99Ms,
    },
  ]
}

function timesTable(pairs: Pair[]): string {
  const phases = { idle: 'idle', during: 'while the import runs', after: 'while its webhooks go out' } as const
  const times = { createMs: 'creates', webhookMs: 'webhooks' } as const
  const rows = (Object.keys(times) as (keyof typeof times)[]).flatMap((kind) =>
    (Object.keys(phases) as (keyof typeof phases)[]).map((phase) => {
      const all = pairs.flatMap((pair) => pair[phase][kind])
      return [times[kind], phases[phase], ...[0.5, 0.95, 0.99, 1].map((share) => quantile(all, share).toFixed(1)), String(all.length)]
    }),
  )
  return table(['of', 'when', 'p50 ms', 'p95 ms', 'p99 ms', 'worst ms', 'count'], rows)
}
