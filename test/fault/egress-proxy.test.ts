import { afterAll, beforeAll, expect, test } from 'vitest'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startRawReceiver } from '../support/raw-receiver.ts'
import { says } from '../support/raw-responses.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { startService } from '../support/service-process.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const LOGIN = { username: 'earshot', password: 'pr0xy-pass-word' }
const SECRETS = [LOGIN.password, Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64'), 'gateway-credential']
const GENEROUS_MS = 90_000

let store: RemoteDatabase
let team: Team
beforeAll(async () => {
  store = await openRemoteDatabase()
  team = await makeTeam(store.database)
})
afterAll(() => store?.[Symbol.asyncDispose]())

test('a service sends webhooks through its proxy, and shows nothing of the credentials', { timeout: GENEROUS_MS }, async () => {
  await using receiver = await startRawReceiver(says(OK), { host: '127.0.0.5' })
  const proxy = await startConnectProxy({ login: LOGIN })
  await using service = await startService({
    ...store.environment,
    ...{ EARSHOT_EGRESS_PROXY: proxy.url, EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.5/32', EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on' },
    EARSHOT_LOG_LEVEL: 'debug',
  })
  const ask = (path: string, body: object = {}) =>
    service.send('POST', `/api/v1/teams/${team.id}/webhooks/${path}`, { token: team.token, body })
  const { id } = (await ask('', { url: receiver.url, events: ['*'], headers: { 'X-Gateway-Key': 'gateway-credential' } })).body
  expect((await ask(`${id}/test/`)).body).toMatchObject({ status_code: 200, remote_ip: '127.0.0.5', error: null })
  expect(proxy.tunnels).toEqual([`127.0.0.5:${receiver.port}`])
  expect(receiver.requests[0]).toContain('X-Gateway-Key: gateway-credential\r\n')

  // Of another origin, so through a tunnel that is not open yet.
  await proxy[Symbol.asyncDispose]()
  const elsewhere = (await ask('', { url: 'http://127.0.0.5:9/', events: ['*'] })).body
  const failed = (await ask(`${elsewhere.id}/test/`)).body
  const error = { code: 'proxy_error', detail: 'The egress proxy cannot be reached (ECONNREFUSED).' }
  expect(failed).toMatchObject({ status_code: null, remote_ip: null, error })
  expect((await ask('', { url: 'http://127.0.0.6/', events: ['*'] })).body.errors).toMatchObject([{ code: 'blocked_address' }])
  await service.stop()
  for (const secret of SECRETS) expect(service.output()).not.toContain(secret)
})
