import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

/** More than the pool of the test has connections. */
const MANY = 12

let service: TestService
let team: Team
/** What DNS says about every receiver; a test lets it hang. */
let lookUp: (url: string) => Promise<{ ok: true; url: string } | { ok: false; code: 'blocked_address'; detail: string }>

beforeAll(async () => {
  service = await startTestService({ services: { checkReceiver: (url) => lookUp(url) } })
})
beforeEach(async () => {
  team = await makeTeam(service.database)
  lookUp = async (url) => ({ ok: true, url })
})
afterAll(() => service.close())

test('while DNS is silent, requests with keys hold no connection', async () => {
  const silence = Promise.withResolvers<void>()
  let asked = 0
  lookUp = async (url) => {
    asked += 1
    await silence.promise
    return { ok: true, url }
  }
  const created = Promise.all(Array.from({ length: MANY }, (_, index) => createWebhook(`key-${index}`)))
  await until('every lookup hangs', () => asked === MANY)
  expect(await service.send('GET', '/api/v1/me/', { token: team.token })).toMatchObject({ status: 200 })
  silence.resolve()
  expect((await created).map(({ status }) => status)).toEqual(Array(MANY).fill(201))
})

test('a replay asks DNS nothing, and an address that is refused leaves the key unused', async () => {
  const first = await createWebhook('key-1')
  lookUp = async () => ({ ok: false, code: 'blocked_address', detail: 'is inside this network' })
  const again = await createWebhook('key-1')
  expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([201, first.body, 'true'])
  expect(await createWebhook('key-2')).toMatchObject({ status: 400, body: { errors: [{ field: 'url', code: 'blocked_address' }] } })
  lookUp = async (url) => ({ ok: true, url })
  expect(await createWebhook('key-2')).toMatchObject({ status: 201 })
})

test('requests that wait for another one with their key hold no connection, and get its response', async () => {
  const { id } = await team.submit()
  const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/${id}/approve/`
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holder = service.database.client.begin(async (sql) => {
    await sql`select from submissions where id = ${id} for update`
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const headers = { 'idempotency-key': 'approved-once' }
  const answers = Promise.all(Array.from({ length: MANY }, () => service.send('POST', path, { token: team.token, headers })))
  await until('the first waits for the row', async () => (await waitingForLocks()) === 1)
  expect(await service.send('GET', '/api/v1/me/', { token: team.token })).toMatchObject({ status: 200 })
  expect(await waitingForLocks()).toBe(1)
  release.resolve()
  await holder
  expect((await answers).map(({ status, body }) => [status, body.id])).toEqual(Array(MANY).fill([200, id]))
  expect((await answers).filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
})

function createWebhook(key: string) {
  return service.send('POST', `/api/v1/teams/${team.id}/webhooks/`, {
    token: team.token,
    headers: { 'idempotency-key': key },
    body: { url: 'https://hooks.example.com/', events: ['*'] },
  })
}

async function waitingForLocks(): Promise<number> {
  const [row] = await service.database.client<[{ count: number }]>`
    select count(*)::int as count from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted`
  return row.count
}
