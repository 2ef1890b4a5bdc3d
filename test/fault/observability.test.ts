import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { publicSubmission } from './load.ts'

const GENEROUS_MS = 60_000
/** What waits in the database is read once in five seconds. */
const FRESH_LIMIT_MS = 15_000

let remote: RemoteDatabase
let environment: Record<string, string>
let api: ServiceProcess
let team: Team
beforeAll(async () => {
  remote = await openRemoteDatabase()
  environment = {
    ...remote.environment,
    EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on',
    // No second attempt within this test.
    EARSHOT_WEBHOOK_BACKOFF_BASE_MS: '3600000',
  }
  api = await startService({ ...environment, EARSHOT_ROLE: 'api' })
  team = await makeTeam(remote.database)
})
afterAll(async () => {
  await api?.[Symbol.asyncDispose]()
  await remote?.[Symbol.asyncDispose]()
})

test('metrics show what waits, for how long, and what a worker did; the worker’s log names event, delivery and attempt', {
  timeout: GENEROUS_MS,
}, async () => {
  await using receiver = await startReceiver()
  const client = api.client(team.token)
  const create = (url: string) => client.webhooks.create({ team_id: team.id, url, events: ['submission.created'] })
  const webhooks = [await create(receiver.url), await create('http://127.0.0.1:9/')]
  for (let count = 0; count < 3; count += 1) await submit()
  await remote.asOwner((sql) => sql`select graphile_worker.add_job('partitions', run_at => now() - interval '1 minute')`)
  await until(
    'the api tells what waits',
    async () => (await metricOf(api, 'earshot_webhook_deliveries', { state: 'pending' })) === 6,
    FRESH_LIMIT_MS,
  )
  expect(await metricOf(api, 'earshot_webhook_deliveries_due')).toBe(6)
  expect(await metricOf(api, 'earshot_webhook_deliveries', { state: 'sending' })).toBe(0)
  expect(await metricOf(api, 'earshot_queue_jobs', { task: 'partitions', state: 'ready' })).toBe(1)
  expect(await metricOf(api, 'earshot_queue_oldest_ready_seconds')).toBeGreaterThanOrEqual(60)

  await using worker = await startService({ ...environment, EARSHOT_ROLE: 'worker', EARSHOT_WORKER_PORT: '0' })
  expect(await worker.send('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } })
  expect((await worker.send('GET', '/api/v1/me/')).status).toBe(404)
  await until(
    'what was due is tried',
    async () => (await metricOf(worker, 'earshot_webhook_deliveries_due')) === 0 && receiver.requests.length === 3,
    FRESH_LIMIT_MS,
  )
  await until('results are recorded', async () => (await metricOf(worker, 'earshot_webhook_attempt_seconds_count')) === 6)
  await until(
    'three wait for their next attempt',
    async () => (await metricOf(worker, 'earshot_webhook_deliveries', { state: 'pending' })) === 3,
    FRESH_LIMIT_MS,
  )
  expect(await metricOf(worker, 'earshot_webhook_oldest_due_seconds')).toBe(0)
  expect(await metricOf(worker, 'earshot_webhook_attempts_total', { outcome: 'success' })).toBe(3)
  expect(await metricOf(worker, 'earshot_webhook_attempts_total', { outcome: 'retry' })).toBe(3)
  expect(await metricOf(worker, 'earshot_webhook_deliveries_finished_total', { state: 'succeeded' })).toBe(3)
  expect(await metricOf(worker, 'earshot_webhook_attempt_seconds_count')).toBe(6)
  expect(await metricOf(worker, 'earshot_webhook_wait_seconds_count')).toBe(6)

  const places = webhooks.map(({ id }) => ({ team_id: team.id, webhook_id: id }))
  const deliveries = (await Promise.all(places.map((place) => client.webhooks.deliveries.list(place)))).flatMap(({ results }) => results)
  const attempts = (await Promise.all(places.map((place) => client.webhooks.attempts.list(place)))).flatMap(({ results }) => results)
  expect(attempts).toHaveLength(6)
  await until('the log is written', () => attempts.every(({ id }) => worker.output().includes(id)))
  const lines = attemptLines(worker)
  for (const attempt of attempts) {
    expect(lines.find(({ attempt_id }) => attempt_id === attempt.id)).toMatchObject({
      delivery_id: attempt.delivery_id,
      event_id: deliveries.find(({ id }) => id === attempt.delivery_id)?.event_id,
      number: 1,
      status_code: attempt.status_code,
      error_code: attempt.error?.code ?? null,
    })
  }
})

test('metrics estimate the stored deliveries of each state', { timeout: GENEROUS_MS }, async () => {
  await remote.database.client`update webhook_endpoints set state = 'paused'`
  for (let count = 0; count < 2; count += 1) await submit()
  await remote.asOwner((sql) => sql`analyze webhook_deliveries, webhook_delivery_history`)
  const stored = (state: string) => metricOf(api, 'earshot_webhook_deliveries_stored', { state })
  await until('the estimate is read', async () => (await stored('skipped')) === 4, FRESH_LIMIT_MS)
  expect([await stored('succeeded'), await stored('pending')]).toEqual([3, 3])
})

test('while the database is away /metrics reports what the process itself knows', { timeout: GENEROUS_MS }, async () => {
  await remote.proxy.refuse()
  const { status, body } = await api.send('GET', '/metrics')
  expect([status, body]).toEqual([200, expect.stringContaining('earshot_http_request_duration_seconds_count')])
  await until(
    'what cannot be known has no value',
    async () => (await metricOf(api, 'earshot_webhook_deliveries_due')) === undefined,
    FRESH_LIMIT_MS,
  )
  await remote.proxy.restore()
  await until('it is known again', async () => (await metricOf(api, 'earshot_webhook_deliveries_due')) !== undefined, GENEROUS_MS)
})

async function submit(): Promise<void> {
  expect(await api.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })).toMatchObject({
    status: 201,
  })
}

/** The value of one series in Prometheus' text, undefined without one. */
async function metricOf(from: ServiceProcess, name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const { body } = await from.send('GET', '/metrics')
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const series = pairs.length > 0 ? `${name}{${pairs.join(',')}} ` : `${name} `
  const line = String(body)
    .split('\n')
    .find((each) => each.startsWith(series))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

function attemptLines(of: ServiceProcess): Record<string, unknown>[] {
  return of
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"attempt"'))
    .map((line): Record<string, unknown> => JSON.parse(line))
}
