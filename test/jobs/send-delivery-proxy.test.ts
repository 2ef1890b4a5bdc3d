import { setTimeout as delay } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls'
import { type ResolveName, readProxyUrl, shareLookups } from '@earshot/drivers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSenders } from '../../jobs/src/sending/senders.ts'
import { resolveFrom } from '../drivers/resolve-from.ts'
import { type ConnectProxy, startConnectProxy } from '../support/connect-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { measureLateness } from '../support/lateness.ts'
import { startRawReceiver } from '../support/raw-receiver.ts'
import { drips, type Play, says, saysAndEnds, saysAndResets } from '../support/raw-responses.ts'
import { certificate, makeAuthority } from './certificates.ts'
import { fillBacklog } from './full-backlog.ts'
import { startSender } from './start-sender.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const HOST = 'hooks.example.com'
/** Not the proxy's. */
const INSIDE = '127.0.0.5'
const LIMIT_MS = 1_000
const post = (url: string) => ({ url, headers: {}, body: '{"a":1}' })
const resolve = resolveFrom({ [HOST]: [INSIDE], 'other.example.com': [INSIDE] })
const systemCertificates = getCACertificates()

let tls: TlsOptions
beforeAll(async () => {
  const authority = await makeAuthority('Trusted Test CA')
  tls = await certificate(authority)
  setDefaultCACertificates([...systemCertificates, authority.cert])
})
afterAll(() => setDefaultCACertificates(systemCertificates))

describe('a delivery through the proxy', () => {
  test.each([
    ['http', () => undefined],
    ['https', () => tls],
  ])('reaches a receiver by %s: the proxy gets the checked address, the receiver the name', async (scheme, tlsOf) => {
    const names: unknown[] = []
    const options = tlsOf() && {
      tls: { ...tlsOf(), SNICallback: (name: string, done: (error: null) => void) => [names.push(name), done(null)] },
    }
    await using receiver = await startRawReceiver(says(OK), { host: INSIDE, ...options })
    await using proxy = await startConnectProxy()
    await using sender = startSender({ resolve, proxy: proxy.address })
    const result = await sender.send(post(`${scheme}://${HOST}:${receiver.port}/`))
    expect(result).toMatchObject({ statusCode: 200, remoteIp: INSIDE, error: null })
    expect(proxy.tunnels).toEqual([`${INSIDE}:${receiver.port}`])
    expect(receiver.requests[0]).toMatch(new RegExp(`^POST / HTTP/1.1\r\nhost: ${HOST}:${receiver.port}\r\n`))
    expect(receiver.requests[0]).toMatch(/\r\n\r\n\{"a":1\}$/)
    expect(receiver.requests[0]).not.toMatch(/proxy/i)
    expect(names).toEqual(scheme === 'https' ? [HOST] : [])
  })

  test('reaches a proxy by its name, resolved once for all that look at the same time', async () => {
    await using receiver = await startRawReceiver(says(OK), { host: INSIDE })
    await using proxy = await startConnectProxy()
    const resolving: string[] = []
    const names: ResolveName = async (name) => {
      resolving.push(name)
      await delay(50)
      return [{ address: name === HOST ? INSIDE : '127.0.0.1', family: 4 }]
    }
    const address = readProxyUrl(proxy.url.replace('127.0.0.1', 'proxy.example.com'))
    await using sender = startSender({ resolve: shareLookups(names), proxy: address })
    const results = await Promise.all(Array.from({ length: 5 }, () => sender.send(post(`http://${HOST}:${receiver.port}/`))))
    expect(results.map(({ statusCode }) => statusCode)).toEqual(Array(5).fill(200))
    expect(resolving).toEqual([HOST, 'proxy.example.com'])
  })

  test('reaches an IPv6 address', async () => {
    await using receiver = await startRawReceiver(says(OK), { host: '::1' })
    await using proxy = await startConnectProxy()
    await using sender = startSender({ proxy: proxy.address })
    expect(await sender.send(post(`http://[::1]:${receiver.port}/`))).toMatchObject({ statusCode: 200, remoteIp: '::1' })
  })

  test('tunnels are reused, for one receiver only', async () => {
    await using receiver = await startRawReceiver(says(OK), { host: INSIDE, tls })
    await using proxy = await startConnectProxy()
    await using sender = startSender({ resolve, proxy: proxy.address })
    for (let round = 0; round < 10; round += 1) {
      expect(await sender.send(post(`https://${HOST}:${receiver.port}/`))).toMatchObject({ statusCode: 200, remoteIp: INSIDE })
    }
    expect(proxy.tunnels.length).toBeLessThanOrEqual(2)
  })

  test('a certificate for another host is tls_error, and no request is sent', async () => {
    await using receiver = await startRawReceiver(says(OK), { host: INSIDE, tls })
    await using proxy = await startConnectProxy()
    await using sender = startSender({ resolve, proxy: proxy.address })
    const result = await sender.send(post(`https://other.example.com:${receiver.port}/`))
    expect(result.error).toMatchObject({ code: 'tls_error', detail: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID') })
    expect([proxy.tunnels.length, receiver.requests]).toEqual([1, []])
  })

  test('a handshake that hangs behind the tunnel is connect_timeout; a cut one is connection_reset', async () => {
    await using hanging = await startRawReceiver(() => {}, { host: INSIDE })
    await using cutting = await startRawReceiver(() => {}, { host: INSIDE, onConnection: (socket) => socket.end() })
    await using proxy = await startConnectProxy()
    await using sender = startSender({ resolve, proxy: proxy.address, connectTimeoutMs: LIMIT_MS })
    expect((await sender.send(post(`https://${HOST}:${hanging.port}/`))).error?.code).toBe('connect_timeout')
    await hanging.closed(1)
    expect((await sender.send(post(`https://${HOST}:${cutting.port}/`))).error?.code).toBe('connection_reset')
  })

  test('the limit covers the proxy, the tunnel and TLS together', async () => {
    const slowly = { ...tls, SNICallback: (_name: string, done: (error: null) => void) => void setTimeout(done, 0.7 * LIMIT_MS, null) }
    await using receiver = await startRawReceiver(says(OK), { host: INSIDE, tls: slowly })
    await using proxy = await startConnectProxy({ delayMs: 0.7 * LIMIT_MS })
    await using sender = startSender({ resolve, proxy: proxy.address, connectTimeoutMs: LIMIT_MS })
    expect(await sender.send(post(`https://${HOST}:${receiver.port}/`))).toMatchObject({
      error: { code: 'connect_timeout' },
      statusCode: null,
    })
    await using patient = startSender({ resolve, proxy: proxy.address, connectTimeoutMs: 3 * LIMIT_MS })
    expect((await patient.send(post(`https://${HOST}:${receiver.port}/`))).statusCode).toBe(200)
  })

  test('closing the sender ends what waits for the proxy', async () => {
    await using proxy = await startRawReceiver(() => {})
    const sender = startSender({ resolve, proxy: readProxyUrl(`http://127.0.0.1:${proxy.port}`) })
    const sending = sender.send(post(`http://${HOST}:9/`))
    await expect.poll(() => proxy.requests.length).toBe(1)
    await sender.close()
    expect((await sending).error?.code).toBe('interrupted')
    await proxy.closed(1)
  })
})

describe('a proxy with credentials', () => {
  const login = { username: 'earshot', password: 'p@ss:wörd%' }
  const encoded = `earshot:${encodeURIComponent('p@ss:wörd%')}`

  test('gets them with each tunnel; the receiver does not', async () => {
    await using receiver = await startRawReceiver(says(OK), { host: INSIDE, tls })
    await using proxy = await startConnectProxy({ login, given: encoded })
    await using sender = startSender({ resolve, proxy: proxy.address })
    expect((await sender.send(post(`https://${HOST}:${receiver.port}/`))).statusCode).toBe(200)
    expect(receiver.requests[0]).not.toMatch(/authorization/i)
  })

  test.each([
    ['others', 'earshot:another-one'],
    ['none', ''],
  ])('that is given %s is proxy_error, without what was given', async (_what, given) => {
    await using receiver = await startRawReceiver(says(OK), { host: INSIDE })
    await using proxy = await startConnectProxy({ login, given })
    await using sender = startSender({ resolve, proxy: proxy.address })
    expect((await sender.send(post(`http://${HOST}:${receiver.port}/`))).error).toEqual({
      code: 'proxy_error',
      detail: 'The egress proxy refused the credentials of this service (407).',
    })
    expect(receiver.connections).toBe(0)
  })
})

describe('a proxy that opens no tunnel is proxy_error, with a detail that says so and nothing of its own', () => {
  const CLOSED = 'The egress proxy closed the connection before a tunnel was open.'
  const INVALID = 'The egress proxy did not respond with valid HTTP.'
  const TOO_LATE = `The egress proxy opened no tunnel to the receiver within ${LIMIT_MS / 1000} s.`

  test.each([403, 429, 500, 502, 503])('because it responds %d', async (refusal) => {
    await using proxy = await startConnectProxy({ refusal })
    await expectProxyError(proxy, `The egress proxy opened no tunnel to the receiver (status ${refusal}).`)
  })

  test('because nothing listens at the receiver', async () => {
    await using proxy = await startConnectProxy()
    await using sender = startSender({ resolve, proxy: proxy.address })
    const { error, remoteIp } = await sender.send(post(`http://${HOST}:${await freePort()}/`))
    expect([error?.code, remoteIp]).toEqual(['proxy_error', null])
    // What a proxy then does is its own choice: this one closes the connection, others respond with 502 or 504.
    expect(error?.detail).toBe(CLOSED)
  })

  test.each<[string, Play, string]>([
    ['hangs', () => {}, TOO_LATE],
    ['drips its response', drips('HTTP/1.1 200 ', 'O'), TOO_LATE],
    ['closes', (socket) => void socket.end(), CLOSED],
    ['resets', saysAndResets('HTTP'), CLOSED],
    ['closes within its response', saysAndEnds('HTTP/1.1 200 OK\r\nX-'), CLOSED],
    ['speaks another protocol', says('SSH-2.0-OpenSSH_9.9\r\n'), INVALID],
    ['responds with garbage', says(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])), INVALID],
    ['responds with endless headers', says(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(40_000)}`), INVALID],
    ['continues', says('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'), CLOSED],
    [
      'redirects',
      says('HTTP/1.1 302 Found\r\nLocation: http://10.9.8.7/\r\n\r\n'),
      'The egress proxy opened no tunnel to the receiver (status 302).',
    ],
  ])('because it %s', async (_what, play, detail) => {
    await using proxy = await startRawReceiver(play)
    await expectProxyError({ address: readProxyUrl(`http://earshot:pr0xy-secret@127.0.0.1:${proxy.port}`) }, detail)
    expect(proxy.requests[0]).toMatch(/^CONNECT 127\.0\.0\.5:9 HTTP\/1\.1\r\nhost: 127\.0\.0\.5:9\r\n/)
    await proxy.closed(1)
  })

  test('because nothing listens at its address, or its name does not resolve', async () => {
    const at = (place: string) => ({ address: readProxyUrl(`http://earshot:pr0xy-secret@${place}`) })
    await expectProxyError(at(`127.0.0.1:${await freePort()}`), 'The egress proxy cannot be reached (ECONNREFUSED).')
    await expectProxyError(at('proxy.invalid:3128'), 'The egress proxy cannot be reached (ENOTFOUND).')
  })

  test('because it accepts no connections', async () => {
    await using backlog = await fillBacklog()
    await expectProxyError({ address: readProxyUrl(`http://127.0.0.1:${backlog.port}`) }, TOO_LATE)
  })

  async function expectProxyError({ address }: Pick<ConnectProxy, 'address'>, detail: string): Promise<void> {
    await using sender = startSender({ resolve, proxy: address, connectTimeoutMs: LIMIT_MS })
    for (const scheme of ['http', 'https']) {
      using late = measureLateness()
      const result = await sender.send(post(`${scheme}://${HOST}:9/`))
      expect(result).toMatchObject({ error: { code: 'proxy_error', detail }, statusCode: null, remoteIp: null })
      expect(result.durationMs).toBeLessThan(LIMIT_MS + 1_500 + 1_000 * late.seconds())
    }
  }
})

test('one of several addresses for which the proxy opens no tunnel, or too late, leaves time for the next', async () => {
  await using receiver = await startRawReceiver(says(OK), { host: INSIDE })
  await using proxy = await startConnectProxy({ hangsFor: '127.0.0.7' })
  const names = resolveFrom({ [HOST]: ['127.0.0.6', '127.0.0.7', INSIDE] })
  await using sender = startSender({ resolve: names, proxy: proxy.address, connectTimeoutMs: 5_000 })
  expect(await sender.send(post(`http://${HOST}:${receiver.port}/`))).toMatchObject({ statusCode: 200, remoteIp: INSIDE })
  expect(proxy.tunnels).toEqual(['127.0.0.6', '127.0.0.7', INSIDE].map((address) => `${address}:${receiver.port}`))
  // The time for the second address does not end the tunnel to the third.
  await delay(1_200)
  expect(await sender.send(post(`http://${HOST}:${receiver.port}/`))).toMatchObject({ statusCode: 200, remoteIp: INSIDE })
})

test('a hundred deliveries at once through one proxy all arrive', async () => {
  await using receiver = await startRawReceiver(says(OK), { host: INSIDE, tls })
  await using proxy = await startConnectProxy()
  await using sender = startSender({ resolve, proxy: proxy.address })
  const results = await Promise.all(Array.from({ length: 100 }, () => sender.send(post(`https://${HOST}:${receiver.port}/`))))
  expect(results.filter(({ statusCode }) => statusCode !== 200)).toEqual([])
})

test('in local trial, loopback receivers are reached directly, and all others through the proxy', async () => {
  await using receiver = await startRawReceiver(says(OK))
  await using proxy = await startConnectProxy({ refusal: 403 })
  const senders = createSenders({
    ...{ allowNetworks: [], allowInsecure: false, localTrial: true, version: '1', proxy: proxy.address },
    ownAddresses: { includes: () => false },
    resolve: resolveFrom({ 'outside.example.com': ['8.8.8.8'], 'mixed.example.com': ['127.0.0.1', '8.8.8.8'] }),
  })
  const trial = senders.senderFor({ local_trial: true })
  expect((await trial.send(post(receiver.url))).statusCode).toBe(200)
  expect(proxy.connections).toBe(0)
  for (const host of ['outside.example.com', 'mixed.example.com']) {
    expect((await trial.send(post(`http://${host}:9/`))).error?.code, host).toBe('proxy_error')
  }
  expect(proxy.tunnels).toEqual(['8.8.8.8:9', '8.8.8.8:9'])
  await senders.close()
})
