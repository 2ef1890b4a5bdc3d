import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Database, openDatabase, type Patience } from '@earshot/db'
import { expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { type Reply, type ServiceProcess, startService } from '../support/service-process.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { publicSubmission } from './load.ts'

const VISITORS = 500
const KEYED = 100
const WITHIN_MS = 5_000
const GENEROUS_MS = 120_000

test('while the database hangs 500 visitors and 100 keyed callers get 503 within 5 s, and it works at full speed within 5 s of its return', {
  timeout: GENEROUS_MS,
}, async () => {
  await using remote = await openRemoteDatabase()
  await using api = await startService({ ...remote.environment, EARSHOT_ROLE: 'api' })
  const team = await makeTeam(remote.database)
  const burst = () => Promise.all([...times(VISITORS, () => visit(api, team)), ...times(KEYED, () => writeWithKey(api, team))])
  await burst()
  const before = await medianOf(api, team)
  const memoryBefore = residentBytes(api)

  remote.proxy.hold()
  for (const round of ['as it begins to hang', 'while it hangs']) {
    const replies = await burst()
    const times = replies.map(({ ms }) => ms).sort((one, other) => one - other)
    console.log(`${round}: p50 ${Math.round(times[times.length / 2] ?? 0)} ms, slowest ${Math.round(times.at(-1) ?? 0)} ms`)
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.code}`))).toEqual(new Set(['503 dependency_unavailable']))
    expect(replies.filter(({ headers }) => !(Number(headers.get('retry-after')) > 0))).toEqual([])
    expect(times.at(-1)).toBeLessThan(WITHIN_MS)
  }
  const grownBytes = residentBytes(api) - memoryBefore
  console.log(`memory grew by ${Math.round(grownBytes / 1e6)} MB`)
  expect(grownBytes).toBeLessThan(150e6)

  await remote.proxy.restore()
  const restoredAtMs = performance.now()
  await until('it is ready again', async () => (await api.send('GET', '/readyz')).status === 200, WITHIN_MS)
  const after = await medianOf(api, team)
  console.log(
    `ready ${Math.round(performance.now() - restoredAtMs)} ms after its return; median ${before.toFixed(1)} ms before, ${after.toFixed(1)} ms after`,
  )
  expect(performance.now() - restoredAtMs).toBeLessThan(WITHIN_MS)
  expect(new Set((await burst()).map(({ status }) => status))).toEqual(new Set([201]))
})

test('statements that take long, on every connection, are not cut while the database replies', { timeout: GENEROUS_MS }, async () => {
  await using remote = await openRemoteDatabase()
  const database = open(remote, { poolSize: 2 })
  const slow = () => database.run<{ done: boolean }>('select pg_sleep(5) is not null as done', [])
  expect(await Promise.all([slow(), slow()])).toEqual([[{ done: true }], [{ done: true }]])
  await database.close()
})

test('a caller who waits for a connection of a busy pool is refused after its time, and those within it are served', async () => {
  await using remote = await openRemoteDatabase()
  const database = open(remote, { poolSize: 1, waitMs: 200 })
  const busy = database.run('select pg_sleep(1.5)', [])
  const startedAtMs = performance.now()
  await expect(database.run('select 1', [])).rejects.toMatchObject({
    code: 'dependency_unavailable',
    retryAfterSeconds: expect.any(Number),
  })
  expect(performance.now() - startedAtMs).toBeLessThan(1_000)
  const patient = database.patiently({ untilMs: performance.now() + 4_000, isGone: () => false })
  expect(await patient.run('select 1 as one', [])).toEqual([{ one: 1 }])
  await busy
  await database.close()
})

test('more callers than the pool lets wait are refused at once', async () => {
  await using remote = await openRemoteDatabase()
  const database = open(remote, { poolSize: 1 })
  const busy = database.run('select pg_sleep(1)', [])
  const outcomes = await Promise.allSettled(times(1_200, () => database.run('select 1', [])))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1_000)
  await busy
  await database.close()
})

test('requests whose clients disconnect while they wait leave the queue: nothing is sent and nothing is written for them', {
  timeout: GENEROUS_MS,
}, async () => {
  await using remote = await openRemoteDatabase()
  const statements: string[] = []
  const database = open(remote, { poolSize: 1, onStatement: (text) => void statements.push(text) })
  const arrived = new Set<Patience>()
  const watched: Database = {
    ...database,
    patiently(patience) {
      arrived.add(patience)
      return database.patiently(patience)
    },
  }
  const service = await startTestService({ database: watched }, { store: { ...remote, statements: [], close: async () => {} } })
  const team = await makeTeam(remote.database)
  const leaving = new AbortController()
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(service.url + path, {
      ...{ method: 'POST', body: JSON.stringify(body), signal: leaving.signal },
      headers: { 'content-type': 'application/json', ...headers },
    }).then(
      ({ status }) => status,
      () => 'gone',
    )
  const busy = database.run('select pg_sleep(1.2)', [])
  const sent = [
    ...times(3, () => send(`/api/public/v1/projects/${team.publicKey}/submissions/`, publicSubmission())),
    send(
      `/api/v1/teams/${team.id}/projects/`,
      { name: 'Never' },
      { authorization: `Bearer ${team.token}`, 'idempotency-key': randomUUID() },
    ),
  ]
  await until('they wait', () => arrived.size >= sent.length)
  leaving.abort()
  expect(await Promise.all(sent)).toEqual(sent.map(() => 'gone'))
  await busy
  statements.length = 0
  // Whoever comes next has its turn after them.
  await database.run('select 1', [])
  expect(statements).toEqual(['select 1'])
  expect(await remote.database.run('select from submissions where team_id = $1', [team.id])).toEqual([])
  await service.close()
  await database.close()
})

const times = <Result>(count: number, make: () => Result): Result[] => Array.from({ length: count }, make)

function open(
  { environment }: RemoteDatabase,
  options: { poolSize: number; waitMs?: number; onStatement?: (text: string) => void },
): Database {
  return openDatabase({
    ...{ address: { url: environment.DATABASE_URL }, role: 'earshot_worker', applicationName: 'earshot fault test' },
    ...{ statementTimeoutMs: 10_500, ...options },
  })
}

const visit = (service: ServiceProcess, team: Team): Promise<Reply> =>
  service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })

/** Of the submissions of the team, because a team has few projects. */
const writeWithKey = (service: ServiceProcess, team: Team): Promise<Reply> =>
  service.send('POST', `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`, {
    token: team.token,
    body: { body: 'Ours', author: { name: 'Ada' } },
    headers: { 'idempotency-key': randomUUID() },
  })

async function medianOf(service: ServiceProcess, team: Team): Promise<number> {
  const taken: number[] = []
  for (let turn = 0; turn < 21; turn += 1) {
    const { status, ms } = await visit(service, team)
    expect(status).toBe(201)
    taken.push(ms)
  }
  return taken.sort((one, other) => one - other)[10] ?? 0
}

function residentBytes({ pid }: ServiceProcess): number {
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
