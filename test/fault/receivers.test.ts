import { afterAll, beforeAll, expect, test } from 'vitest'
import { isLongForm } from '../support/form.ts'
import { measureLateness } from '../support/lateness.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { type RawReceiver, startRawReceiver } from '../support/raw-receiver.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { publicSubmission } from './load.ts'

const GENEROUS_MS = 90_000
const DRAIN_MS = 25_000
/** The most that a delivery takes which nothing holds up. */
const AT_ONCE_MS = 2_000
const TRIAL_LINE =
  'Local trial: webhooks may go to this machine over plain http. Set EARSHOT_WEBHOOK_ALLOW_NETWORKS, even to an empty value, to turn this off.'

let store: RemoteDatabase
/** As a first tour finds it. */
let trial: ServiceProcess
/** The same with the reachable networks configured. */
let decided: ServiceProcess
beforeAll(async () => {
  store = await openRemoteDatabase()
  trial = await startService(store.environment)
  decided = await startService({ ...store.environment, EARSHOT_ROLE: 'api', EARSHOT_WEBHOOK_ALLOW_NETWORKS: '' })
})
afterAll(async () => {
  await Promise.all([trial, decided].map((service) => service?.[Symbol.asyncDispose]()))
  await store[Symbol.asyncDispose]()
})

test('local trial: one line announces it at the start, and an empty variable turns it off', () => {
  expect(
    trial
      .output()
      .split('\n')
      .filter((line) => line.startsWith('Local trial')),
  ).toEqual([TRIAL_LINE])
  expect(decided.output()).not.toContain('Local trial')
})

test('local trial: a receiver on this machine can be registered from this machine, but not through a proxy or once it is off', async () => {
  const team = await makeTeam(store.database)
  const register = (service: ServiceProcess, headers: Record<string, string> = {}) =>
    service.send('POST', `/api/v1/teams/${team.id}/webhooks/`, {
      token: team.token,
      headers,
      body: { url: 'http://127.0.0.1:9/hook', events: ['*'] },
    })
  const refused = { status: 400, body: { code: 'validation_error', errors: [{ field: 'url' }] } }
  expect(await register(trial)).toMatchObject({ status: 201 })
  expect(await register(trial, { 'x-forwarded-for': '198.51.100.7' })).toMatchObject(refused)
  expect(await register(trial, { forwarded: 'for=198.51.100.7' })).toMatchObject(refused)
  expect(await register(decided)).toMatchObject(refused)
})

test.for([
  'http://198.51.100.7/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/',
  'https://[::1]/',
  'https://localhost/',
  'https://0x7f.1/',
  'https://me:pw@example.com/',
])('an internal address is refused at registration: %s', async (url) => {
  const team = await makeTeam(store.database)
  const answer = await decided.send('POST', `/api/v1/teams/${team.id}/webhooks/`, { token: team.token, body: { url, events: ['*'] } })
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: 'url' }] } })
})

test('an internal address that reached the row another way fails for good at the attempt', async () => {
  await using receiver = await startReceiver()
  const team = await makeTeam(store.database)
  const client = trial.client(team.token)
  const { id } = await client.webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
  await store.database.client`update webhook_endpoints set local_trial = false where id = ${id}`
  await trial.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })
  const ref = { team_id: team.id, webhook_id: id }
  await until('it has ended', async () => (await client.webhooks.deliveries.list(ref)).results[0]?.state === 'failed')
  expect((await client.webhooks.deliveries.list(ref)).results).toMatchObject([{ attempt_count: 1, next_attempt_at: null }])
  expect((await client.webhooks.attempts.list(ref)).results).toMatchObject([{ status_code: null, error: { code: 'blocked_address' } }])
  expect(receiver.requests).toEqual([])
})

test('a receiver that accepts connections and never responds delays no other', { timeout: GENEROUS_MS }, async () => {
  await using silent = await startRawReceiver(() => {})
  await using other = await startReceiver()
  const team = await makeTeam(store.database)
  await expectNoDelay(team, silent, other)
})

// The last of the file: it stops the service.
test.runIf(isLongForm)(
  'silent receivers delay a stop by no more than its bound, and their deliveries are sent again',
  {
    timeout: GENEROUS_MS,
  },
  async () => {
    await using silent = await startRawReceiver(() => {})
    await using other = await startReceiver()
    await using late = await startRawReceiver(() => {})
    const team = await makeTeam(store.database)
    await expectNoDelay(team, silent, other)
    // An attempt that has just begun could take five seconds longer than the stop.
    const { id } = await trial.client(team.token).webhooks.create({ team_id: team.id, url: late.url, events: ['*'] })
    await submit(team)
    await until('the late one has a request', () => late.requests.length === 1)
    using lateness = measureLateness()
    const startedAt = performance.now()
    expect(await trial.stop()).toMatchObject({ code: 0 })
    const stopMs = Math.round(performance.now() - startedAt)
    console.log(`stopped beside silent receivers after ${stopMs} ms`)
    expect(stopMs).toBeLessThan(DRAIN_MS + 4_000 + lateness.seconds() * 1_000)

    trial = await startService(store.environment)
    await until('it is sent again', () => late.requests.length === 2)
    expect(new Set(late.requests.map((request) => /x-service-delivery: (\S+)/i.exec(request)?.[1])).size).toBe(1)
    const attempts = await trial.client(team.token).webhooks.attempts.list({ team_id: team.id, webhook_id: id })
    expect(attempts.results.at(-1)).toMatchObject({ number: 1, error: { code: 'interrupted' } })
    // The end of the test waits for none of them.
    await store.database.client`update webhook_endpoints set deleted_at = now() where team_id = ${team.id}`
  },
)

/** Registers both receivers; while the silent one holds a request, the other one gets each delivery at once. */
async function expectNoDelay(team: Team, silent: RawReceiver, other: Receiver): Promise<void> {
  const { webhooks } = trial.client(team.token)
  await webhooks.create({ team_id: team.id, url: silent.url, events: ['*'] })
  await webhooks.create({ team_id: team.id, url: other.url, events: ['*'] })
  await submit(team)
  await until('the silent one has a request', () => silent.requests.length > 0)
  using lateness = measureLateness()
  for (let round = 0; round < 20; round += 1) {
    await submit(team)
    const [startedAt, lateBefore] = [performance.now(), lateness.seconds()]
    await until('the other one gets it', () => other.requests.length === round + 2)
    expect(performance.now() - startedAt).toBeLessThan(AT_ONCE_MS + (lateness.seconds() - lateBefore) * 1_000)
  }
}

async function submit(team: Team): Promise<void> {
  await trial.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })
}
