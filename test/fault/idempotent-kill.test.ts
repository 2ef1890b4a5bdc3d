import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import type { Team } from '../support/people.ts'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const ROUNDS = 4
const CLIENTS = 8
const dataDir = makePreparedDataDir()
afterAll(() => dataDir[Symbol.asyncDispose]())

/** The keys sent, each with the returned id, or null when the service ended before its response. */
type Sent = Map<string, string | null>

test('after kill -9 at any moment an idempotency key has its record and the stored response, or neither', {
  timeout: 120_000,
}, async () => {
  const environment = { EARSHOT_DATA_DIR: dataDir.path }
  let service = await startService(environment)
  const team = await dataDir.makeTeam()
  const counts = { acknowledged: 0, unknown: 0, kept: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const sent: Sent = new Map()
    const load = Array.from({ length: CLIENTS }, () => sendUntilGone(service, team, sent))
    const answered = () => [...sent.values()].filter(Boolean).length
    const killedAfter = randomInt(20, 60)
    await until('some are answered', () => answered() >= killedAfter)
    process.kill(service.pid, 'SIGKILL')
    // Every second time the database dies at the same moment.
    if (round % 2 === 1) process.kill(dataDir.serverPid(), 'SIGKILL')
    await Promise.all([service.exit, ...load])

    service = await startService(environment)
    const stored = await readStored(team)
    for (const [key, id] of sent) {
      const { records = 0, answers = 0 } = stored.get(key) ?? {}
      // Not answered: neither of both, or both.
      expect([key, records, answers]).toEqual(id === null ? [key, answers, records] : [key, 1, 1])
      counts[id === null ? 'unknown' : 'acknowledged'] += 1
      if (id === null && records === 1) counts.kept += 1
    }
    for (const [key, id] of sent) {
      const again = await send(service, team, key)
      expect(again.status).toBe(201)
      expect(again.headers.get('idempotency-replayed')).toBe(stored.has(key) ? 'true' : null)
      if (id !== null) expect(again.body.id).toBe(id)
    }
    for (const { records, answers } of (await readStored(team)).values()) expect([records, answers]).toEqual([1, 1])
  }
  await service.stop()
  console.log(`${counts.acknowledged} acknowledged, ${counts.unknown} without an answer, of which ${counts.kept} were kept`)
  expect(counts.unknown).toBeGreaterThan(0)
})

async function sendUntilGone(service: ServiceProcess, team: Team, sent: Sent): Promise<void> {
  for (;;) {
    const key = randomUUID()
    sent.set(key, null)
    const answer = await send(service, team, key).catch(() => null)
    if (answer?.status !== 201) return
    sent.set(key, answer.body.id)
  }
}

/** Sends the key in the record too, so that both can be found by it. */
function send(service: ServiceProcess, { token, project }: Team, key: string) {
  const path = `/api/v1/teams/${project.team_id}/projects/${project.project_id}/submissions/`
  const body = { body: 'Saved us a week.', author: { name: 'Ada' }, metadata: { key } }
  return service.send('POST', path, { token, body, headers: { 'idempotency-key': key } })
}

async function readStored({ id }: Team): Promise<Map<string, { records: number; answers: number }>> {
  await using database = await dataDir.openDatabase()
  const rows = await database.client<{ key: string; records: number; answers: number }[]>`
    select coalesce(s.metadata ->> 'key', k.key) as key, count(s.id)::int as records, count(k.result)::int as answers
      from (select * from submissions where team_id = ${id}) s
      full join idempotency_keys k on k.key = s.metadata ->> 'key'
     group by 1`
  return new Map(rows.map(({ key, ...counts }) => [key, counts]))
}
