import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { PartReport } from '../report.ts'
import type { Team } from '../teams.ts'
import { openWebhookGround } from '../webhooks/fixture.ts'

const RECEIVERS = 1_000
/** Of the largest plan; a team has no more. */
const ENDPOINTS_OF_A_TEAM = 100
const DUE = 20
const GOAL_MB = 150
const WARM_UP_EVENTS = 500
const LOOK_MS = 250

/** What a worker holds while a thousand receivers take each request and say nothing. */
export async function benchSilent({ silentSeconds }: { silentSeconds: number }): Promise<PartReport> {
  await using ground = await openWebhookGround({ teams: 1 + RECEIVERS / ENDPOINTS_OF_A_TEAM })
  const [healthy, ...teams] = ground.teams as [Team, ...Team[]]
  await ground.addEndpoints(healthy, 1, 'healthy')
  await ground.emit(healthy, WARM_UP_EVENTS)
  await ground.arrival(WARM_UP_EVENTS)
  const before = residentMegabytes(ground.service.pid)
  for (const team of teams) {
    await ground.addEndpoints(team, ENDPOINTS_OF_A_TEAM, 'silent')
    await ground.emit(team, DUE)
  }
  const watched: { megabytes: number; inFlight: number }[] = []
  const until = performance.now() + silentSeconds * 1000
  while (performance.now() < until) {
    watched.push({ megabytes: residentMegabytes(ground.service.pid), inFlight: await inFlight(ground.service.url) })
    await delay(LOOK_MS)
  }
  const more = Math.max(...watched.map(({ megabytes }) => megabytes)) - before
  const most = Math.max(...watched.map((each) => each.inFlight))
  return {
    title: `${RECEIVERS} receivers that never answer, ${silentSeconds} s`,
    findings: [
      { what: 'memory above before', figure: `${more.toFixed(0)} MB`, goal: `≤ ${GOAL_MB} MB`, met: more <= GOAL_MB },
      { what: 'before', figure: `${before.toFixed(0)} MB`, goal: '', met: null },
      { what: 'requests in flight at most', figure: String(most), goal: '', met: null },
    ],
    details: [],
  }
}

function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

async function inFlight(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^earshot_webhook_deliveries_in_flight (\d+)/m.exec(text)?.[1])
}
