import { startChild } from '../child-process.ts'
import { median, quantile } from '../figures.ts'
import { findPostgres } from '../postgres-process.ts'
import { familyMicroseconds, processorMicroseconds } from '../processor-time.ts'
import { type Finding, type PartReport, table } from '../report.ts'
import type { Team } from '../teams.ts'
import { type Accepted, openWebhookFixture, type WebhookFixture } from '../webhooks/fixture.ts'
import { payloadOf } from '../webhooks/payload.ts'
import { atRate } from '../webhooks/steady-rate.ts'
import { submitFeedback } from '../webhooks/submit-feedback.ts'

const EVENTS_PER_SECOND = 100
/** Node compiles for the first seconds of such a load, in the service and in the bare loop. */
const WARM_UP_SECONDS = 15
const GOALS = { together: { p50: 3, p99: 15 }, separate: { p50: 30, cpuMs: 60 } }

/** Measures the time from the acceptance of a change to its receipt at a steady rate, in one process and with a separate worker. */
export async function benchLatency({ seconds }: { seconds: number }): Promise<PartReport> {
  const together = await measure('all', seconds, submitFeedback)
  const separate = await measure('worker', seconds, ({ emit }, team) => emit(team))
  const within = (what: string, figure: number, goal: number, unit = 'ms'): Finding => ({
    what,
    figure: `${figure.toFixed(0)} ${unit}`,
    goal: `≤ ${goal} ${unit}`,
    met: figure <= goal,
  })
  const bare = await measureBare(seconds)
  const all = { together, separate }
  return {
    title: `From the acceptance of a change to its receipt, ${EVENTS_PER_SECOND} events/s`,
    findings: [
      within('in one process, p50', median(together.latenciesMs), GOALS.together.p50),
      within('in one process, p99', quantile(together.latenciesMs, 0.99), GOALS.together.p99),
      within('a separate worker, p50', median(separate.latenciesMs), GOALS.separate.p50),
      within('a separate worker, processor time', separate.cpuMs, GOALS.separate.cpuMs, 'ms/s'),
      {
        what: 'a separate worker ÷ a bare loop of POST and insert, processor time',
        figure: `× ${(separate.cpuMs / bare.cpuMs).toFixed(2)}`,
        goal: '',
        met: null,
      },
      {
        what: 'in one process with PostgreSQL, processor time of an event',
        figure: `${((together.cpuMs + together.postgresMs) / EVENTS_PER_SECOND).toFixed(2)} ms`,
        goal: '',
        met: null,
      },
    ],
    details: [
      table(
        ['worker', 'p50 ms', 'p90 ms', 'p99 ms', 'worst ms', 'receipts', 'Node ms/s', 'PostgreSQL ms/s'],
        [
          ...Object.entries(all).map(([name, { latenciesMs, cpuMs, postgresMs }]) => [
            name,
            ...[0.5, 0.9, 0.99, 1].map((share) => quantile(latenciesMs, share).toFixed(0)),
            ...[latenciesMs.length, cpuMs, postgresMs].map((figure) => figure.toFixed(0)),
          ]),
          ['bare loop', '', '', '', '', `${EVENTS_PER_SECOND * seconds}`, bare.cpuMs.toFixed(0), bare.postgresMs.toFixed(0)],
        ],
      ),
    ],
  }
}

async function measure(role: 'all' | 'worker', seconds: number, change: (fixture: WebhookFixture, team: Team) => Promise<Accepted>) {
  await using fixture = await openWebhookFixture({ role })
  const [team] = fixture.teams as [Team]
  await fixture.addEndpoints(team, 1, 'healthy')
  const changes = async (forSeconds: number) => {
    await fixture.receiver.call('forget')
    const accepted: Accepted[] = []
    await atRate({ perSecond: EVENTS_PER_SECOND, seconds: forSeconds }, async () => accepted.push(await change(fixture, team)))
    const { arrivals } = await fixture.waitForReceipts(EVENTS_PER_SECOND * forSeconds)
    // A response that is on its way for longer than the delivery makes the time negative.
    return accepted.map(({ id, acceptedMs }) => (arrivals[id] ?? Number.NaN) - acceptedMs)
  }
  await changes(WARM_UP_SECONDS)
  return await spent({ pid: fixture.service.pid, fixture, seconds }, async () => ({ latenciesMs: await changes(seconds) }))
}

/** Measures what the same deliveries cost a bare loop at the same rate. */
async function measureBare(seconds: number) {
  await using fixture = await openWebhookFixture({ role: 'api' })
  await using bare = await startChild(new URL('../bare-sender.ts', import.meta.url))
  const [team] = fixture.teams as [Team]
  const payload = await payloadOf(fixture, team)
  const sending = { address: fixture.service.address, url: fixture.url, payload, team_id: team.id, perSecond: EVENTS_PER_SECOND }
  const send = (forSeconds: number) => bare.call({ ...sending, deliveries: EVENTS_PER_SECOND * forSeconds })
  await send(WARM_UP_SECONDS)
  return await spent({ pid: bare.pid, fixture, seconds }, async () => {
    await send(seconds)
    return {}
  })
}

/** Adds to what `work` returns the processor time of a process and of PostgreSQL meanwhile, in milliseconds per second. */
async function spent<Result extends object>(
  { pid, fixture, seconds }: { pid: number; fixture: WebhookFixture; seconds: number },
  work: () => Promise<Result>,
) {
  const postgresPid = await findPostgres(fixture.database)
  const times = () => [processorMicroseconds(pid), familyMicroseconds(postgresPid)] as const
  const before = times()
  const result = await work()
  const [node, postgres] = times()
  return { ...result, cpuMs: (node - before[0]) / 1000 / seconds, postgresMs: (postgres - before[1]) / 1000 / seconds }
}
