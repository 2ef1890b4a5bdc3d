import { setTimeout as delay } from 'node:timers/promises'
import type { PartReport } from '../report.ts'
import { residentMegabytes } from '../resident-megabytes.ts'
import type { Team } from '../teams.ts'
import { openWebhookFixture } from '../webhooks/fixture.ts'

const RECEIVERS = 1_000
/** The limit of the largest plan. */
const ENDPOINTS_OF_A_TEAM = 100
const DUE = 20
const GOAL_MB = 150
const WARM_UP_EVENTS = 500
const SAMPLE_MS = 250

/** Measures the memory of a worker while a thousand receivers accept requests and never respond. */
export async function benchUnresponsive({ unresponsiveSeconds }: { unresponsiveSeconds: number }): Promise<PartReport> {
  await using fixture = await openWebhookFixture({ teams: 1 + RECEIVERS / ENDPOINTS_OF_A_TEAM })
  const [healthy, ...teams] = fixture.teams as [Team, ...Team[]]
  await fixture.addEndpoints(healthy, 1, 'healthy')
  await fixture.emit(healthy, WARM_UP_EVENTS)
  await fixture.waitForReceipts(WARM_UP_EVENTS)
  const before = residentMegabytes(fixture.service.pid)
  for (const team of teams) {
    await fixture.addEndpoints(team, ENDPOINTS_OF_A_TEAM, 'unresponsive')
    await fixture.emit(team, DUE)
  }
  const samples: { megabytes: number; inFlight: number }[] = []
  const until = performance.now() + unresponsiveSeconds * 1000
  while (performance.now() < until) {
    samples.push({ megabytes: residentMegabytes(fixture.service.pid), inFlight: await inFlight(fixture.service.url) })
    await delay(SAMPLE_MS)
  }
  const more = Math.max(...samples.map(({ megabytes }) => megabytes)) - before
  const most = Math.max(...samples.map((each) => each.inFlight))
  return {
    title: `${RECEIVERS} receivers that never respond, ${unresponsiveSeconds} s`,
    findings: [
      { what: 'memory, increase', figure: `${more.toFixed(0)} MB`, goal: `≤ ${GOAL_MB} MB`, met: more <= GOAL_MB },
      { what: 'memory before', figure: `${before.toFixed(0)} MB`, goal: '', met: null },
      { what: 'most deliveries in flight', figure: String(most), goal: '', met: null },
    ],
    details: [],
  }
}

async function inFlight(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^earshot_webhook_deliveries_in_flight (\d+)/m.exec(text)?.[1])
}
