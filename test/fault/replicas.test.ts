import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Database, type DatabaseAddress, openDatabase, setTeamPlan } from '@earshot/db'
import { startEmbeddedPostgres } from '@earshot/db/embedded'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDataDir } from '../support/data-dir.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { makeTeam } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { publicSubmission } from './load.ts'

const GENEROUS_MS = 60_000
const PROCESSES = 4
const CALLS_EACH = 5
const RESPONDENTS = 20
const PLACES = 7
const MIGRATIONS = fileURLToPath(new URL('../../db/migrations/', import.meta.url))
const PREPARE = new URL('../../db/src/schema/prepare.ts', import.meta.url).href

const dataDir = makeDataDir()
let cluster: Awaited<ReturnType<typeof startEmbeddedPostgres>>
let proxy: DatabaseProxy
let database: Database
let apis: ServiceProcess[] = []
let workers: ServiceProcess[] = []

beforeAll(async () => {
  cluster = await startEmbeddedPostgres({ dataDir: dataDir.path })
})
afterAll(async () => {
  await Promise.all([...apis, ...workers].map((service) => service[Symbol.asyncDispose]()))
  await database?.close()
  await proxy?.[Symbol.asyncDispose]()
  await cluster.stop()
  await dataDir[Symbol.asyncDispose]()
})

test('twenty replicas that start at once on an empty server migrate it once', { timeout: GENEROUS_MS }, async () => {
  await Promise.all(Array.from({ length: PROCESSES }, () => prepareAtOnce(cluster.connection, CALLS_EACH)))
  database = openDatabase({ address: cluster.connection, role: 'earshot_worker', poolSize: 2, applicationName: 'earshot fault test' })
  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'))
  const applied = await database.client<{ version: number }[]>`select version from schema_migrations order by version`
  expect(applied.map(({ version }) => version)).toEqual(files.map((name) => Number(name.slice(0, 4))))
  expect(await database.client`select from schema_functions`).toHaveLength(1)
})

test('two api and two worker replicas start at once on one PostgreSQL and work as one', { timeout: GENEROUS_MS }, async () => {
  proxy = await startDatabaseProxy(cluster.connection)
  const environment = {
    DATABASE_URL: proxy.url,
    EARSHOT_SECRET_KEY: randomBytes(32).toString('base64'),
    // What the receivers of this test are; in a setting that each replica shares.
    EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on',
  }
  const start = (role: string) => startService({ ...environment, EARSHOT_ROLE: role })
  ;[apis, workers] = await Promise.all([Promise.all([start('api'), start('api')]), Promise.all([start('worker'), start('worker')])])
  const [one, other] = both()
  expect(workers.map(({ url }) => url)).toEqual(['', ''])

  await using receiver = await startReceiver()
  const team = await makeTeam(database)
  await one.client(team.token).webhooks.create({ team_id: team.id, url: receiver.url, events: ['submission.approved'] })
  const created = await one.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })
  expect(created).toMatchObject({ status: 201 })
  const ref = { ...team.project, submission_id: created.body.id }
  await one.client(team.token).submissions.approve(ref)
  expect(await other.client(team.token).submissions.retrieve(ref)).toMatchObject({ state: 'approved', public: true })
  const items = await other.send('GET', `/api/public/v1/projects/${team.publicKey}/items/`)
  expect(items.body).toMatchObject({ results: [{ id: created.body.id }] })
  await until('a worker delivers', () => receiver.requests.length === 1)
  expect(JSON.parse(String(receiver.requests[0]?.body))).toMatchObject({
    type: 'submission.approved',
    data: { submission: { id: created.body.id } },
  })
})

test('a token deleted on one replica is refused on the next request of the other', { timeout: GENEROUS_MS }, async () => {
  const [one, other] = both()
  const team = await makeTeam(database)
  const made = await one.client(team.token).me.tokens.create({ name: 'Short-lived', scopes: ['read:projects'] })
  expect((await readProjects(other, team.id, made.token)).status).toBe(200)
  await one.client(team.token).me.tokens.delete({ token_id: made.id })
  expect(await readProjects(other, team.id, made.token)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
})

test('a lower role, a removal and a downgrade take effect on the next request of every replica', { timeout: GENEROUS_MS }, async () => {
  const team = await makeTeam(database)
  const token = await team.tokenOf('admin')
  const create = (service: ServiceProcess) =>
    service.send('POST', `/api/v1/teams/${team.id}/projects/`, { token, body: { name: `Site ${randomBytes(4).toString('hex')}` } })
  const answers = async (ask: (service: ServiceProcess) => Promise<{ status: number; body: { code?: string } }>) =>
    (await Promise.all(both().map(ask))).map(({ status, body }) => ({ status, code: body.code }))

  expect((await answers(create)).map(({ status }) => status)).toEqual([201, 201])
  await database.client`update memberships set role = 'viewer' where team_id = ${team.id} and user_id <> ${team.ownerId}`
  expect(await answers(create)).toEqual(Array(2).fill({ status: 403, code: 'insufficient_role' }))
  await database.client`delete from memberships where team_id = ${team.id} and user_id <> ${team.ownerId}`
  expect(await answers(create)).toEqual(Array(2).fill({ status: 404, code: 'not_found' }))
  expect((await answers((service) => readProjects(service, team.id, team.token))).map(({ status }) => status)).toEqual([200, 200])
  await setTeamPlan(database, { team_id: team.id, plan: 'free' })
  expect(await answers((service) => readProjects(service, team.id, team.token))).toEqual(
    Array(2).fill({ status: 403, code: 'plan_without_api_access' }),
  )
})

test('of twenty respondents over two replicas exactly as many are taken as the survey has places', { timeout: GENEROUS_MS }, async () => {
  const [one] = both()
  const team = await makeTeam(database)
  const { surveys } = one.client(team.token)
  const questions = [{ ref: 'recommend', type: 'nps' as const, title: 'How likely are you to recommend us?' }]
  const survey = await surveys.create({ ...team.project, name: 'NPS', questions, response_limit: PLACES })
  await surveys.publish({ ...team.project, survey_id: survey.id })
  const body = { answers: [{ question_id: survey.questions[0]?.id, value: 9 }] }
  const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/surveys/${survey.id}/responses/`
  const respondents = Array.from({ length: RESPONDENTS / 2 }, () =>
    both().map((service) => service.send('POST', path, { token: team.token, body })),
  )
  const statuses = (await Promise.all(respondents.flat())).map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(PLACES)
  expect(statuses.filter((status) => status === 409)).toHaveLength(RESPONDENTS - PLACES)
  expect(await surveys.retrieve({ ...team.project, survey_id: survey.id })).toMatchObject({ status: 'closed', response_count: PLACES })
  expect((await one.client(team.token).responses.list({ ...team.project, survey_id: survey.id })).results).toHaveLength(PLACES)
})

test('when one of two workers is killed, the other takes over its deliveries in flight', { timeout: GENEROUS_MS }, async () => {
  const [one] = both()
  const answers: (() => void)[] = []
  await using receiver = await startReceiver((response) => void answers.push(() => response.end()))
  const team = await makeTeam(database)
  const { id } = await one.client(team.token).webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
  const [victim, heir] = workers
  if (!victim || !heir) throw new Error('The workers were not started')
  // One alone claims, so that the other has something to take over.
  process.kill(heir.pid, 'SIGSTOP')
  await one.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })
  await until('it is in flight', () => answers.length === 1)
  process.kill(victim.pid, 'SIGKILL')
  process.kill(heir.pid, 'SIGCONT')
  await until('it is sent again', () => answers.length === 2)
  answers[1]?.()
  const ref = { team_id: team.id, webhook_id: id }
  await until('it is delivered', async () => (await one.client(team.token).webhooks.deliveries.list(ref)).results[0]?.state === 'succeeded')
  const attempts = await one.client(team.token).webhooks.attempts.list(ref)
  expect(attempts.results.map(({ number, error }) => [number, error?.code])).toEqual([
    [2, undefined],
    [1, 'interrupted'],
  ])
  expect(new Set(receiver.deliveryIds()).size).toBe(1)
})

function both(): [ServiceProcess, ServiceProcess] {
  const [one, other] = apis
  if (!one || !other) throw new Error('The api replicas were not started')
  return [one, other]
}

function readProjects(service: ServiceProcess, teamId: string, token: string) {
  return service.send('GET', `/api/v1/teams/${teamId}/projects/`, { token })
}

async function prepareAtOnce(address: DatabaseAddress, calls: number): Promise<void> {
  const script = `
    import { prepareDatabase } from '${PREPARE}'
    await Promise.all(Array.from({ length: ${calls} }, () => prepareDatabase(${JSON.stringify(address)})))
  `
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script])
}
