import { median } from '../figures.ts'
import { findPostgres } from '../postgres-process.ts'
import { familyMicroseconds } from '../processor-time.ts'
import { type PartReport, table } from '../report.ts'
import type { Team } from '../teams.ts'
import { openWebhookGround } from '../webhooks/ground.ts'

const PAYLOAD = JSON.stringify({ submission: { id: 'x', body: 'Saved us a week.', rating: 5, author: { name: 'Ada Lovelace' } } })
const GOAL = 1.1

/** What an event costs a change that nobody listens to, beside one insert of the same row by hand. */
export async function benchUnheard({ rounds, requests }: { rounds: number; requests: number }): Promise<PartReport> {
  await using ground = await openWebhookGround({ role: 'all' })
  const [team] = ground.teams as [Team]
  const { client } = ground.database
  const postgresPid = await findPostgres(ground.database)
  const contenders = {
    event: () => client`select emit_event(${team.id}, ${team.project_id}, 'submission.created', ${PAYLOAD}::text::json)`,
    insert: () => client`
      insert into events (team_id, project_id, type, payload, payload_sha256)
      values (${team.id}, ${team.project_id}, 'submission.created', ${PAYLOAD}, encode(sha256(convert_to(${PAYLOAD}::text, 'UTF8')), 'hex'))`,
  }
  const figures = { event: [] as number[], insert: [] as number[] }
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, act] of Object.entries(contenders)) {
      const before = familyMicroseconds(postgresPid)
      for (let count = 0; count < requests; count += 1) await act()
      const microseconds = (familyMicroseconds(postgresPid) - before) / requests
      if (round > 0) figures[name as keyof typeof figures].push(microseconds)
    }
  }
  const ratio = median(figures.event) / median(figures.insert)
  return {
    title: 'A change that no endpoint wants',
    findings: [
      { what: "PostgreSQL's time, its event ÷ one insert", figure: `× ${ratio.toFixed(2)}`, goal: `≤ ${GOAL}`, met: ratio <= GOAL },
    ],
    details: [
      table(
        ['statement', 'PostgreSQL µs'],
        Object.entries(figures).map(([name, each]) => [name, median(each).toFixed(0)]),
      ),
    ],
  }
}
