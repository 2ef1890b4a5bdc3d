import { median } from '../figures.ts'
import { findPostgres } from '../postgres-process.ts'
import { familyMicroseconds } from '../processor-time.ts'
import { type PartReport, table } from '../report.ts'
import type { Team } from '../teams.ts'
import { openWebhookFixture } from '../webhooks/fixture.ts'

const PAYLOAD = JSON.stringify({ submission: { id: 'x', body: 'Saved us a week.', rating: 5, author: { name: 'Ada Lovelace' } } })
const GOAL = 1

/** Measures what emitting an event adds to a change without endpoints, against one insert of the same row. */
export async function benchEventCost({ rounds, requests }: { rounds: number; requests: number }): Promise<PartReport> {
  await using fixture = await openWebhookFixture({ role: 'api' })
  const [{ id, project_id }] = fixture.teams as [Team]
  const { client } = fixture.database
  const contenders = {
    change: () => client`update projects set updated_at = now() where id = ${project_id}`,
    'change and event': () => client`
      with changed as (update projects set updated_at = now() where id = ${project_id} returning team_id, id)
      select emit_event(team_id, id, 'submission.created', ${PAYLOAD}::text::json)
        from changed`,
    insert: () => client`
      insert into events (team_id, project_id, type, payload, payload_sha256)
      values (${id}, ${project_id}, 'submission.created', ${PAYLOAD}, encode(sha256(convert_to(${PAYLOAD}::text, 'UTF8')), 'hex'))`,
  }
  const postgresPid = await findPostgres(fixture.database)
  const figures = new Map(Object.keys(contenders).map((name) => [name, [] as number[]]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, act] of Object.entries(contenders)) {
      const before = familyMicroseconds(postgresPid)
      for (let count = 0; count < requests; count += 1) await act()
      const microseconds = (familyMicroseconds(postgresPid) - before) / requests
      if (round > 0) figures.get(name)?.push(microseconds)
    }
  }
  const middle = (name: keyof typeof contenders) => median(figures.get(name) ?? [])
  const share = (middle('change and event') - middle('change')) / middle('insert')
  return {
    title: 'An event without endpoints, without its numbering, which is a job',
    findings: [{ what: 'PostgreSQL time, event ÷ one insert', figure: share.toFixed(2), goal: `≤ ${GOAL}`, met: share <= GOAL }],
    details: [
      table(
        ['statement', 'PostgreSQL µs'],
        [...figures].map(([name, each]) => [name, median(each).toFixed(0)]),
      ),
    ],
  }
}
