import { median, quantile } from '../figures.ts'
import { processorMicroseconds } from '../processor-time.ts'
import { type Finding, type PartReport, table } from '../report.ts'
import type { Team } from '../teams.ts'
import { openWebhookFixture, type WebhookFixture } from '../webhooks/fixture.ts'
import { atRate } from '../webhooks/steady-rate.ts'

const EVENTS_PER_SECOND = 100
const WARM_UP_SECONDS = 3
const GOALS = { together: { p50: 30, p99: 150 }, separate: { p50: 80, cpuMs: 100 } }

/** Measures the time from a change to its receipt at a steady rate, in one process and with a separate worker. */
export async function benchLatency({ seconds }: { seconds: number }): Promise<PartReport> {
  const together = await measure('all', seconds, submitFeedback)
  const separate = await measure('worker', seconds, ({ emit }, team) => emit(team))
  const within = (what: string, figure: number, goal: number, unit = 'ms'): Finding => ({
    what,
    figure: `${figure.toFixed(0)} ${unit}`,
    goal: `≤ ${goal} ${unit}`,
    met: figure <= goal,
  })
  const all = { together, separate }
  return {
    title: `From a change to its receipt, ${EVENTS_PER_SECOND} events/s`,
    findings: [
      within('in one process, p50', median(together.latenciesMs), GOALS.together.p50),
      within('in one process, p99', quantile(together.latenciesMs, 0.99), GOALS.together.p99),
      within('a separate worker, p50', median(separate.latenciesMs), GOALS.separate.p50),
      within('a separate worker, processor time', separate.cpuMs, GOALS.separate.cpuMs, 'ms/s'),
    ],
    details: [
      table(
        ['worker', 'p50 ms', 'p90 ms', 'p99 ms', 'worst ms', 'receipts'],
        Object.entries(all).map(([name, { latenciesMs }]) => [
          name,
          ...[0.5, 0.9, 0.99, 1].map((share) => quantile(latenciesMs, share).toFixed(0)),
          String(latenciesMs.length),
        ]),
      ),
    ],
  }
}

async function measure(role: 'all' | 'worker', seconds: number, change: (fixture: WebhookFixture, team: Team) => Promise<void>) {
  await using fixture = await openWebhookFixture({ role })
  const [team] = fixture.teams as [Team]
  await fixture.addEndpoints(team, 1, 'healthy')
  const changes = async (forSeconds: number) => {
    await fixture.receiver.call('forget')
    await atRate({ perSecond: EVENTS_PER_SECOND, seconds: forSeconds }, () => change(fixture, team))
    return fixture.waitForReceipts(EVENTS_PER_SECOND * forSeconds)
  }
  await changes(WARM_UP_SECONDS)
  const before = processorMicroseconds(fixture.service.pid)
  const { latenciesMs } = await changes(seconds)
  return { latenciesMs, cpuMs: (processorMicroseconds(fixture.service.pid) - before) / 1000 / seconds }
}

/** Submits as a visitor: the commit nudges the worker in the same process. */
async function submitFeedback({ service }: WebhookFixture, { publicKey }: Team): Promise<void> {
  const response = await fetch(`${service.url}/api/public/v1/projects/${publicKey}/submissions/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ body: `Feedback ${Math.random()}`, rating: 5, author: { name: 'Ada Lovelace' }, consent: { granted: true } }),
  })
  const text = await response.text()
  if (response.status !== 201) throw new Error(`The submission failed with ${response.status}: ${text}`)
}
