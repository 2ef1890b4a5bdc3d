import { checkWebhookUrl, createAddressRules, createOwnAddresses, createSecretBox } from '@earshot/drivers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { type NameServer, startNameServer } from '../support/name-server.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { type RawReceiver, startRawReceiver } from '../support/raw-receiver.ts'
import { says } from '../support/raw-responses.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

const OUTSIDE = '8.8.8.8'
const NAMES: Record<string, string[]> = {
  'ipv4.example.com': ['127.0.0.1'],
  'ipv6.example.com': ['::1'],
  'private-a.example.com': ['10.1.2.3'],
  'private-b.example.com': ['172.20.0.1'],
  'private-c.example.com': ['192.168.1.1'],
  'shared.example.com': ['100.64.1.1'],
  'metadata.example.com': ['169.254.169.254'],
  'metadata6.example.com': ['fd00:ec2::254'],
  'azure.example.com': ['168.63.129.16'],
  'zero.example.com': ['0.0.0.0'],
  'zero6.example.com': ['::'],
  'local6.example.com': ['fe80::1'],
  'unique6.example.com': ['fd12:3456::1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'translated.example.com': ['64:ff9b::7f00:1'],
  'sixtofour.example.com': ['2002:7f00:1::1'],
  'teredo.example.com': ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'multicast.example.com': ['224.0.0.251'],
  'first-inside.example.com': ['127.0.0.1', OUTSIDE],
  'last-inside.example.com': [OUTSIDE, '1.1.1.1', '9.9.9.9', '10.0.0.1'],
  'both-families.example.com': [OUTSIDE, '::1'],
  'mapped-beside.example.com': [OUTSIDE, '::ffff:10.0.0.1'],
  '127.0.0.1.nip.example.com': ['127.0.0.1'],
  '127-0-0-1.example.com': ['127.0.0.1'],
  'localhost.example.com': ['127.0.0.1'],
  // digits that no parser takes for ASCII ones, should a resolver do so: १२७.०.०.१
  'xn--e4bcp.xn--d4b.xn--d4b.xn--e4b': ['127.0.0.1'],
  intranet: ['10.0.0.8'],
  'metadata.google.internal': ['169.254.169.254'],
  'host.docker.internal': ['192.168.65.2'],
}
const names = Object.keys(NAMES)
const strict = createAddressRules({ allowNetworks: [], allowLoopback: false })
/** Each rule holds for both, and the proxy hears nothing of what is blocked. */
const ROUTES = [
  ['directly', undefined],
  ['through a proxy', startConnectProxy],
] as const
const ownAddresses = createOwnAddresses([{ host: 'feedback.example.com', port: 443 }])

let dns: NameServer
let fixture: WebhookFixture
let service: TestService
let team: Team
let receiver: RawReceiver
let receiver6: RawReceiver
beforeAll(async () => {
  dns = await startNameServer((name, count) => {
    // Outside when the endpoint is registered, inside when it is sent to.
    if (name.startsWith('turning.')) return count === 1 ? [OUTSIDE] : ['127.0.0.1']
    if (name === 'silent.example.com') return null
    return name === 'feedback.example.com' ? [OUTSIDE] : NAMES[name]
  })
  receiver = await startRawReceiver(says('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  receiver6 = await startRawReceiver(says('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), { host: '::1', port: receiver.port })
  fixture = await openWebhookFixture()
  const { resolve } = dns
  service = await startTestService(
    {
      services: {
        secretBox: createSecretBox(fixture.secretKey),
        checkReceiver: (url) => checkWebhookUrl(url, { rules: strict, allowInsecure: true, ownAddresses, resolve }),
      },
    },
    { store: { address: fixture.address, database: fixture.database, statements: [], close: async () => {} } },
  )
  team = await makeTeam(fixture.database)
})
afterAll(async () => {
  await service?.close()
  await fixture?.close()
  for (const part of [receiver, receiver6, dns]) await part?.[Symbol.asyncDispose]()
})

describe('a name that resolves to an internal address', () => {
  test.each(names)('%s is refused at registration', async (name) => {
    expect(await register(urlOf(name))).toMatchObject({
      status: 400,
      body: { code: 'validation_error', errors: [{ field: 'url', code: 'blocked_address' }] },
    })
  })

  test.each(ROUTES)(
    'fails for good at the first attempt too, as does one that became internal since; nothing connects, %s',
    async (_route, startProxy) => {
      await using proxy = await startProxy?.()
      const turning = urlOf(`turning.${startProxy ? 'proxied.' : ''}example.com`)
      expect(await register(turning)).toMatchObject({ status: 201, body: { url: turning } })
      const own = 'https://feedback.example.com/'
      expect(await register(own)).toMatchObject({ status: 400, body: { errors: [{ field: 'url', code: 'own_address' }] } })
      const sending = await openWebhookFixture()
      const urls = new Map<string, string>()
      for (const url of [...names.map(urlOf), turning, own]) urls.set((await sending.addEndpoint(url)).id, url)
      const ids = await sending.emit()
      const { stop } = await sending.dispatch({ rules: strict, ownAddresses, resolve: dns.resolve, proxy: proxy?.address ?? null })
      await until('all have failed', async () => (await Promise.all(ids.map(sending.delivery))).every(({ state }) => state === 'failed'))
      await stop()
      expect(ids).toHaveLength(names.length + 2)
      for (const id of ids) {
        const [attempt, ...more] = await sending.attempts(id)
        const url = urls.get(attempt?.endpoint_id ?? '')
        expect({ url, more, ...attempt }).toMatchObject({ more: [], error_code: 'blocked_address', remote_ip: null, status_code: null })
      }
      expect([receiver.connections, receiver6.connections, proxy?.connections ?? 0]).toEqual([0, 0, 0])
      await sending.close()
    },
  )
})

test('a name that does not resolve, or whose DNS is silent, is accepted and checked at each attempt', async () => {
  for (const name of ['nowhere.example.com', 'silent.example.com']) expect(await register(urlOf(name))).toMatchObject({ status: 201 })
  const asked = dns.questions.length
  const own = await openWebhookFixture()
  const [missing, silent] = [await own.addEndpoint(urlOf('nowhere.example.com')), await own.addEndpoint(urlOf('silent.example.com'))]
  const ids = await own.emit()
  await own.dispatch({ rules: strict, resolve: dns.resolve, connectTimeoutMs: 500, backoffBaseMs: 100 })
  await until('each was tried three times', async () => (await Promise.all(ids.map(own.delivery))).every((one) => one.attempt_count > 3))
  const attempts = (await Promise.all(ids.map(own.attempts))).flat().filter(({ finished_at }) => finished_at !== null)
  const codesOf = ({ id }: { id: string }) => new Set(attempts.filter((one) => one.endpoint_id === id).map((one) => one.error_code))
  expect([codesOf(missing), codesOf(silent)]).toEqual([new Set(['dns_failure']), new Set(['connect_timeout'])])
  expect(dns.questions.length - asked).toBeGreaterThanOrEqual(6)
  await own.close()
})

test('a name whose address changes with every query: the connection goes to the address that was checked', async () => {
  await using allowed = await startRawReceiver(says('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'), {
    host: '127.0.0.5',
  })
  await using other = await startRawReceiver(says('HTTP/1.1 200 OK\r\n\r\n'), { host: '127.0.0.6', port: allowed.port })
  await using rebinding = await startNameServer((_name, count) => [count % 2 === 1 ? '127.0.0.5' : '127.0.0.6'])
  const own = await openWebhookFixture()
  await own.addEndpoint(`http://rebinding.example.com:${allowed.port}/`)
  await own.dispatch({ rules: createAddressRules({ allowNetworks: ['127.0.0.5'], allowLoopback: false }), resolve: rebinding.resolve })
  const ids: string[] = []
  for (let round = 0; round < 20; round += 1) {
    ids.push(...(await own.emit()))
    await until('it has ended', async () => ['succeeded', 'failed'].includes((await own.delivery(ids.at(-1) ?? '')).state))
  }
  const attempts = (await Promise.all(ids.map(own.attempts))).flat()
  const kinds = attempts.map(({ remote_ip, status_code, error_code }) => `${remote_ip} ${status_code} ${error_code}`)
  expect(kinds.filter((kind) => kind === '127.0.0.5 200 null')).toHaveLength(10)
  expect(kinds.filter((kind) => kind === 'null null blocked_address')).toHaveLength(10)
  expect([allowed.connections, other.connections, rebinding.questions.length]).toEqual([10, 0, 20])
  await own.close()
})

function urlOf(name: string): string {
  return `http://${name}:${receiver.port}/`
}

function register(url: string) {
  return service.send('POST', `/api/v1/teams/${team.id}/webhooks/`, { token: team.token, body: { url, events: ['*'] } })
}
