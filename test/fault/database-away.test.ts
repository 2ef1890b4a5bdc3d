import { randomBytes } from 'node:crypto'
import { openDatabase } from '@earshot/db'
import { expect, test } from 'vitest'
import { isLongForm } from '../support/form.ts'
import { measureLateness } from '../support/lateness.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { startReceiver } from '../support/receiver.ts'
import { openRemoteDatabase } from '../support/remote-database.ts'
import { type Reply, type ServiceProcess, startService } from '../support/service-process.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { publicSubmission } from './load.ts'

interface Absence {
  awayMs: number
  /** The longest that an answer may take. */
  boundMs: number
}

/** The service gives a statement ten seconds and a half. */
const TEN_SECONDS: Absence = { awayMs: 10_000, boundMs: 12_000 }
/** A server that refuses connections needs no time to be recognized. */
const REFUSED: Absence = isLongForm ? TEN_SECONDS : { awayMs: 2_000, boundMs: 6_000 }
/** How soon after its return everything works. */
const RECOVERY_MS = 5_000

const read = (service: Pick<ServiceProcess, 'send'>, team: Team) =>
  service.send('GET', `/api/v1/teams/${team.id}/projects/`, { token: team.token })
const write = (service: Pick<ServiceProcess, 'send'>, team: Team) =>
  service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })

/** Asks one after the other while the database is away; each must be refused in time and in our own words. */
async function expectRefusals(service: Pick<ServiceProcess, 'send'>, team: Team, { awayMs, boundMs }: Absence): Promise<void> {
  const until = performance.now() + awayMs
  using lateness = measureLateness()
  const ask = async (request: () => Promise<Reply>) => {
    let slowestMs = 0
    do {
      const fromMs = Date.now()
      const reply = await request()
      expect(reply).toMatchObject({
        status: 503,
        body: { code: 'dependency_unavailable', detail: expect.any(String), request_id: reply.headers.get('x-request-id') },
      })
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      slowestMs = Math.max(slowestMs, reply.ms - lateness.msWithin({ fromMs, toMs: Date.now() }))
    } while (performance.now() < until)
    expect(slowestMs).toBeLessThan(boundMs)
    return Math.round(slowestMs)
  }
  const crowd = Array.from({ length: 12 }, () => ask(() => write(service, team)))
  const keyed = { token: team.token, body: { name: 'Late' }, headers: { 'idempotency-key': randomBytes(8).toString('hex') } }
  const probes = (async () => {
    const fromMs = Date.now()
    const health = await service.send('GET', '/healthz')
    expect(health.status).toBe(200)
    expect(health.ms).toBeLessThan(1_000 + lateness.msWithin({ fromMs, toMs: Date.now() }))
  })()
  const slowest = await Promise.all([
    ask(() => read(service, team)),
    ask(() => service.send('GET', '/readyz')),
    ask(() => service.send('POST', `/api/v1/teams/${team.id}/projects/`, keyed)),
    ...crowd,
    probes,
  ])
  console.log(`slowest answers while the database was away: ${slowest.slice(0, 4).join(', ')} ms`)
}

async function expectRecovery(service: ServiceProcess, team: Team, isDelivered: (id: string) => boolean): Promise<void> {
  const startedAt = performance.now()
  await until('it is ready again', async () => (await service.send('GET', '/readyz')).status === 200, RECOVERY_MS)
  const replies = await Promise.all(Array.from({ length: 20 }, () => write(service, team)))
  for (const reply of replies) expect(reply).toMatchObject({ status: 201 })
  expect(await read(service, team)).toMatchObject({ status: 200 })
  await until('the dispatcher delivers', () => replies.every(({ body }) => isDelivered(body.id)), 10_000)
  console.log(`all works ${Math.round(performance.now() - startedAt)} ms after the database came back`)
}

test.runIf(isLongForm).concurrent(
  'the embedded PostgreSQL hangs for ten seconds: 503 in time, then the service recovers',
  async () => {
    await using dataDir = makePreparedDataDir()
    await using receiver = await startReceiver()
    await using service = await startService({ EARSHOT_DATA_DIR: dataDir.path, EARSHOT_WEBHOOK_BACKOFF_BASE_MS: '200' })
    const team = await dataDir.makeTeam()
    await service.client(team.token).webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
    await write(service, team)
    const pids = dataDir.serverPids()
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    try {
      await expectRefusals(service, team, TEN_SECONDS)
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT')
    }
    await expectRecovery(service, team, (id) => receiver.requests.some(({ body }) => body.includes(id)))
  },
  60_000,
)

test.concurrent('the embedded PostgreSQL is killed: it is restarted, and the service recovers', async () => {
  await using dataDir = makePreparedDataDir()
  await using receiver = await startReceiver()
  await using service = await startService({ EARSHOT_DATA_DIR: dataDir.path, EARSHOT_WEBHOOK_BACKOFF_BASE_MS: '200' })
  const team = await dataDir.makeTeam()
  await service.client(team.token).webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
  await write(service, team)
  process.kill(dataDir.serverPid(), 'SIGKILL')
  await until('the loss is noticed', () => service.output().includes('exited unexpectedly'))
  const reply = await write(service, team)
  expect([201, 503]).toContain(reply.status)
  await expectRecovery(service, team, (id) => receiver.requests.some(({ body }) => body.includes(id)))
}, 60_000)

test.concurrent.for(isLongForm ? (['refuse', 'hold'] as const) : (['refuse'] as const))(
  'the server of DATABASE_URL goes away (%s): 503 in time, then the service recovers',
  { timeout: 60_000 },
  async (way) => {
    await using remote = await openRemoteDatabase()
    await using receiver = await startReceiver()
    await using service = await startService({ ...remote.environment, EARSHOT_WEBHOOK_BACKOFF_BASE_MS: '200' })
    const team = await makeTeam(remote.database)
    await service.client(team.token).webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
    await write(service, team)
    await remote.proxy[way]()
    await expectRefusals(service, team, way === 'hold' ? TEN_SECONDS : REFUSED)
    await remote.proxy.restore()
    await expectRecovery(service, team, (id) => receiver.requests.some(({ body }) => body.includes(id)))
    await remote.asOwner(async (sql) => {
      await sql`select graphile_worker.add_job('purge', '{}'::json)`
      await until('the queue works', async () => (await sql`select from graphile_worker.jobs`).length === 0)
    })
  },
)

test.concurrent('a database that hangs: 503 after the statement timeout, then the service recovers', { timeout: 60_000 }, async () => {
  await using remote = await openRemoteDatabase()
  const database = openDatabase({
    address: { url: remote.environment.DATABASE_URL },
    ...{ role: 'earshot_worker', poolSize: 4, applicationName: 'earshot fault test', statementTimeoutMs: 1_000 },
  })
  const service = await startTestService({ database }, { store: { ...remote, statements: [], close: async () => {} } })
  const timed: Pick<ServiceProcess, 'send'> = {
    async send(method, path, options) {
      const startedAt = performance.now()
      const answer = await service.send(method, path, options)
      return { ...answer, ms: performance.now() - startedAt }
    },
  }
  const team = await makeTeam(remote.database)
  expect(await write(timed, team)).toMatchObject({ status: 201 })
  remote.proxy.hold()
  await expectRefusals(timed, team, { awayMs: 1_000, boundMs: 8_000 })
  await remote.proxy.restore()
  await until('it is ready again', async () => (await timed.send('GET', '/readyz')).status === 200, RECOVERY_MS)
  for (const reply of await Promise.all(Array.from({ length: 20 }, () => write(timed, team)))) expect(reply).toMatchObject({ status: 201 })
  expect(await read(timed, team)).toMatchObject({ status: 200 })
  await service.close()
  await database.close()
})
