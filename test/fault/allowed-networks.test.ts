import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertEndpoints } from '../support/endpoint-rows.ts'
import { freePort } from '../support/free-port.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { publicSubmission } from './load.ts'

let store: RemoteDatabase
let service: ServiceProcess
let port: number
let team: Team
beforeAll(async () => {
  store = await openRemoteDatabase()
  port = await freePort()
  service = await startService({
    ...store.environment,
    ...{ PORT: String(port), EARSHOT_BASE_URL: 'https://feedback.example.com:8443' },
    ...{ EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32, 127.0.0.8/30', EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on' },
  })
  team = await makeTeam(store.database)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await store?.[Symbol.asyncDispose]()
})

test('addresses in a listed network are allowed in every notation; others near it are refused', async () => {
  await using receiver = await startReceiver()
  const at = (host: string) => receiver.url.replace('127.0.0.1', host)
  const allowed = ['127.0.0.1', '127.1', '[::ffff:127.0.0.1]']
  for (const host of allowed) expect(await register(at(host)), host).toMatchObject({ status: 201 })
  for (const host of ['127.0.0.2', '127.0.0.7', '127.0.0.12', '[::1]', '10.0.0.1', 'localhost']) {
    expect(await register(at(host)), host).toMatchObject({ status: 400, body: { errors: [{ field: 'url', code: 'blocked_address' }] } })
  }
  await post(`/api/public/v1/projects/${team.publicKey}/submissions/`, publicSubmission())
  await until('each form was received', () => receiver.requests.length === allowed.length)
})

test('the service’s own address and the host of its base URL are refused, at the attempt too', async () => {
  const own = [`http://127.0.0.1:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`, `http://127.0.0.9:${port}/`, `http://localhost:${port}/`]
  const named = ['https://feedback.example.com:8443/', 'https://FEEDBACK.example.com.:8443/api/']
  for (const url of [...own, ...named]) {
    expect(await register(url), url).toMatchObject({ status: 400, body: { errors: [{ field: 'url', code: 'own_address' }] } })
  }
  // Another port is another service, and so is another name behind the same proxy.
  expect(await register('https://feedback.example.com/')).toMatchObject({ status: 201 })
  expect(await register('https://other.example.com:8443/')).toMatchObject({ status: 201 })

  const { client } = store.database
  const rows = own.map((url) => ({ url, isLocalTrial: false }))
  const planted = await insertEndpoints(client, store.environment, { teamId: team.id, rows })
  await post(`/api/public/v1/projects/${team.publicKey}/submissions/`, publicSubmission())
  const attempts = () => client<{ error_code: string }[]>`
    select error_code from webhook_attempts where endpoint_id = any(${planted}::uuid[]) and finished_at is not null`
  await until('each was attempted', async () => (await attempts()).length === own.length)
  expect(await attempts()).toEqual(own.map(() => ({ error_code: 'blocked_address' })))
})

function register(url: string) {
  return post(`/api/v1/teams/${team.id}/webhooks/`, { url, events: ['*'] })
}

/** The address that it listens on, as it has no base URL of its own. */
async function post(path: string, body: object) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${team.token}` }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: await response.json() }
}
