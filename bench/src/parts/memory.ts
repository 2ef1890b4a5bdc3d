import type { PartReport } from '../report.ts'
import { residentMegabytes } from '../resident-megabytes.ts'
import type { Team } from '../teams.ts'
import { openWebhookFixture } from '../webhooks/fixture.ts'
import { atRate } from '../webhooks/steady-rate.ts'
import { submitFeedback } from '../webhooks/submit-feedback.ts'

const EVENTS_PER_SECOND = 200
const GOAL = 200

/** Measures the resident memory of Node after a start with demo data, and after events that visitors cause. */
export async function benchMemory({ deliveries }: { deliveries: number }): Promise<PartReport> {
  await using fixture = await openWebhookFixture({ role: 'all', options: ['--demo'] })
  const { pid } = fixture.service
  const started = residentMegabytes(pid)
  const [team] = fixture.teams as [Team]
  await fixture.addEndpoints(team, 1, 'healthy')
  await atRate({ perSecond: EVENTS_PER_SECOND, seconds: deliveries / EVENTS_PER_SECOND }, () => submitFeedback(fixture, team))
  await fixture.waitForReceipts(deliveries)
  const worked = residentMegabytes(pid)
  return {
    title: 'Memory of Node',
    findings: [
      { what: 'after a start with demo data', figure: `${started.toFixed(0)} MB`, goal: '', met: null },
      { what: `after ${deliveries} events`, figure: `${worked.toFixed(0)} MB`, goal: `≤ ${GOAL} MB`, met: worked <= GOAL },
    ],
    details: [],
  }
}
