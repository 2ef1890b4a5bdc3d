import { median, quantile } from '../figures.ts'
import { processorMicroseconds } from '../processor-time.ts'
import { type Finding, type PartReport, table } from '../report.ts'
import type { Team } from '../teams.ts'
import { openWebhookGround, type WebhookGround } from '../webhooks/fixture.ts'
import { atPace } from '../webhooks/steady-rate.ts'

const EVENTS_PER_SECOND = 100
const WARM_UP_SECONDS = 3
const GOALS = { together: { p50: 30, p99: 150 }, apart: { p50: 80, cpuMs: 100 } }

/** From a change to its receipt, in one process and with a worker apart, at an even pace. */
export async function benchLatency({ seconds }: { seconds: number }): Promise<PartReport> {
  const together = await measure('all', seconds, leaveWords)
  const apart = await measure('worker', seconds, ({ emit }, team) => emit(team))
  const within = (what: string, figure: number, goal: number, unit = 'ms'): Finding => ({
    what,
    figure: `${figure.toFixed(0)} ${unit}`,
    goal: `≤ ${goal} ${unit}`,
    met: figure <= goal,
  })
  const all = { together, apart }
  return {
    title: `From a change to its receipt, ${EVENTS_PER_SECOND} events/s`,
    findings: [
      within('in one process, p50', median(together.latenciesMs), GOALS.together.p50),
      within('in one process, p99', quantile(together.latenciesMs, 0.99), GOALS.together.p99),
      within('a worker apart, p50', median(apart.latenciesMs), GOALS.apart.p50),
      within('a worker apart, its processor time', apart.cpuMs, GOALS.apart.cpuMs, 'ms/s'),
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

async function measure(role: 'all' | 'worker', seconds: number, change: (ground: WebhookGround, team: Team) => Promise<void>) {
  await using ground = await openWebhookGround({ role })
  const [team] = ground.teams as [Team]
  await ground.addEndpoints(team, 1, 'healthy')
  const changes = async (forSeconds: number) => {
    await ground.receiver.ask('forget')
    await atPace({ perSecond: EVENTS_PER_SECOND, seconds: forSeconds }, () => change(ground, team))
    return ground.arrival(EVENTS_PER_SECOND * forSeconds)
  }
  await changes(WARM_UP_SECONDS)
  const before = processorMicroseconds(ground.service.pid)
  const { latenciesMs } = await changes(seconds)
  return { latenciesMs, cpuMs: (processorMicroseconds(ground.service.pid) - before) / 1000 / seconds }
}

/** As a visitor does: the commit nudges the worker of the same process. */
async function leaveWords({ service }: WebhookGround, { publicKey }: Team): Promise<void> {
  const response = await fetch(`${service.url}/api/public/v1/projects/${publicKey}/submissions/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ body: `Words ${Math.random()}`, rating: 5, author: { name: 'Ada Lovelace' }, consent: { granted: true } }),
  })
  const text = await response.text()
  if (response.status !== 201) throw new Error(`A submission was answered with ${response.status}: ${text}`)
}
