import { setTimeout as delay } from 'node:timers/promises'
import { findPostgres } from '../postgres-process.ts'
import { familyMicroseconds, processorMicroseconds } from '../processor-time.ts'
import type { PartReport } from '../report.ts'
import { openWebhookFixture } from '../webhooks/fixture.ts'

const SETTLE_MS = 10_000
const GOAL_MS = 8

/** Measures the processor time of one process with everything in it, and of its PostgreSQL, while nothing happens. */
export async function benchIdle({ idleSeconds }: { idleSeconds: number }): Promise<PartReport> {
  await using fixture = await openWebhookFixture({ role: 'all' })
  const postgresPid = await findPostgres(fixture.database)
  const times = () => ({ node: processorMicroseconds(fixture.service.pid), postgres: familyMicroseconds(postgresPid) })
  await delay(SETTLE_MS)
  const before = times()
  await delay(idleSeconds * 1000)
  const after = times()
  const [node, postgres] = [after.node - before.node, after.postgres - before.postgres].map((spent) => spent / 1000 / idleSeconds)
  const all = (node ?? 0) + (postgres ?? 0)
  const figure = (ms = 0) => `${ms.toFixed(1)} ms/s`
  return {
    title: 'A service in which nothing happens',
    findings: [
      { what: 'processor time', figure: figure(all), goal: `≤ ${GOAL_MS} ms/s`, met: all <= GOAL_MS },
      { what: 'of it Node', figure: figure(node), goal: '', met: null },
      { what: 'of it PostgreSQL', figure: figure(postgres), goal: '', met: null },
    ],
    details: [],
  }
}
