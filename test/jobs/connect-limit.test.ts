import { setTimeout as delay } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls'
import type { ResolveName } from '@earshot/drivers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXCHANGE_LIMITS, type SendResult } from '../../jobs/src/sending/send-delivery.ts'
import { isLongForm } from '../support/form.ts'
import { measureLateness } from '../support/lateness.ts'
import { startRawReceiver } from '../support/raw-receiver.ts'
import { drips, says } from '../support/raw-responses.ts'
import { certificate, makeAuthority } from './certificates.ts'
import { fillBacklog } from './full-backlog.ts'
import { startSender } from './start-sender.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const NAME = 'hooks.example.com'
const LIMIT_MS = 3_000
/** The long form waits as long as a real service. */
const limits = isLongForm ? EXCHANGE_LIMITS : { connectTimeoutMs: 2_000, responseTimeoutMs: 3_000 }
/** Alone it leaves time enough; twice it does not. */
const SLOW_MS = 2_000
/** Generous, for a busy machine. */
const SLACK_MS = 1_500
const DRIP = 'HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n'

const systemCertificates = getCACertificates()
let tls: TlsOptions
beforeAll(async () => {
  const authority = await makeAuthority('Trusted Test CA')
  tls = await certificate(authority)
  setDefaultCACertificates([...systemCertificates, authority.cert])
})
afterAll(() => setDefaultCACertificates(systemCertificates))

/** A DNS that takes its time. */
const resolvesAfter =
  (ms: number, addresses = ['127.0.0.1']): ResolveName =>
  async () => {
    await delay(ms)
    return addresses.map((address) => ({ address, family: 4 }))
  }
/** A handshake that takes its time. */
const handshakeAfter = (ms: number): TlsOptions => ({ ...tls, SNICallback: (_name, done) => void setTimeout(done, ms, null) })
const never: ResolveName = () => new Promise(() => {})
const post = (url: string) => ({ url, headers: {}, body: '{}' })

// At the same time, as all of them wait for most of theirs.
describe.concurrent('one limit over DNS, TCP and TLS together', () => {
  test.each([
    ['a slow DNS alone', SLOW_MS, 0],
    ['a slow handshake alone', 0, SLOW_MS],
  ])('%s fits within the limit', async (_what, dnsMs, tlsMs) => {
    await using receiver = await startRawReceiver(says(OK), { tls: handshakeAfter(tlsMs) })
    await using sender = startSender({ resolve: resolvesAfter(dnsMs), connectTimeoutMs: LIMIT_MS })
    expect(await sender.send(post(`https://${NAME}:${receiver.port}/`))).toMatchObject({ statusCode: 200, error: null })
  })

  test('two slow phases within the limit are too slow together', async () => {
    await using receiver = await startRawReceiver(says(OK), { tls: handshakeAfter(SLOW_MS) })
    await using sender = startSender({ resolve: resolvesAfter(SLOW_MS), connectTimeoutMs: LIMIT_MS })
    using late = measureLateness()
    const result = await sender.send(post(`https://${NAME}:${receiver.port}/`))
    expectTimeout(result, 'connect_timeout', { limitMs: LIMIT_MS, lateMs: 1_000 * late.seconds() })
    expect(receiver.requests).toEqual([])
  })

  test('a slow DNS and a connection that nobody accepts share the limit', async () => {
    await using backlog = await fillBacklog()
    await using sender = startSender({ resolve: resolvesAfter(SLOW_MS), connectTimeoutMs: LIMIT_MS })
    using late = measureLateness()
    const result = await sender.send(post(`http://${NAME}:${backlog.port}/`))
    expectTimeout(result, 'connect_timeout', { limitMs: LIMIT_MS, lateMs: 1_000 * late.seconds() })
  })

  test('the time to connect is not subtracted from the response’s', async () => {
    await using receiver = await startRawReceiver((socket) => void setTimeout(() => socket.write(OK), 200))
    await using sender = startSender({ resolve: resolvesAfter(SLOW_MS), connectTimeoutMs: LIMIT_MS, responseTimeoutMs: SLOW_MS - 500 })
    expect(await sender.send(post(`http://${NAME}:${receiver.port}/`))).toMatchObject({ statusCode: 200, error: null })
  })

  test('one of several addresses that accepts no connections does not use up the limit', async () => {
    await using receiver = await startRawReceiver(says(OK))
    await using _backlog = await fillBacklog({ host: '127.0.0.2', port: receiver.port })
    await using sender = startSender({ resolve: resolvesAfter(0, ['127.0.0.2', '127.0.0.1']), connectTimeoutMs: LIMIT_MS })
    const url = `http://${NAME}:${receiver.port}/`
    expect(await sender.send(post(url))).toMatchObject({ statusCode: 200, remoteIp: '127.0.0.1', error: null })
  })

  test('a real service allows 10 s to connect and 30 s for the whole answer', () => {
    expect(EXCHANGE_LIMITS).toMatchObject({ connectTimeoutMs: 10_000, responseTimeoutMs: 30_000 })
  })

  test('attempts at receivers that connect or respond too slowly end at the limits', async () => {
    const { connectTimeoutMs, responseTimeoutMs } = limits
    const tooSlowMs = 0.6 * connectTimeoutMs
    await using backlog = await fillBacklog()
    await using hanging = await startRawReceiver(() => {})
    await using slow = await startRawReceiver(says(OK), { tls: handshakeAfter(tooSlowMs) })
    await using dripping = await startRawReceiver(drips(DRIP, '.'))
    const resolve: ResolveName = (name) => (name === 'never.example.com' ? never(name) : resolvesAfter(tooSlowMs)(name))
    await using sender = startSender({ resolve, connectTimeoutMs, responseTimeoutMs })
    const connecting = [
      `http://127.0.0.1:${backlog.port}/`,
      'http://never.example.com/',
      `https://127.0.0.1:${hanging.port}/`,
      `https://${NAME}:${slow.port}/`,
    ]
    const answering = [`http://127.0.0.1:${hanging.port}/`, `http://127.0.0.1:${dripping.port}/`]
    using late = measureLateness()
    const [connected, answered] = await Promise.all(
      [connecting, answering].map((urls) => Promise.all(urls.map((url) => sender.send(post(url))))),
    )
    for (const result of connected ?? [])
      expectTimeout(result, 'connect_timeout', { limitMs: connectTimeoutMs, lateMs: 1_000 * late.seconds() })
    for (const result of answered ?? [])
      expectTimeout(result, 'read_timeout', { limitMs: responseTimeoutMs, lateMs: 1_000 * late.seconds() })
    await Promise.all([hanging.closed(2), dripping.closed(1)])
  })
})

function expectTimeout({ error, durationMs }: SendResult, code: string, { limitMs, lateMs }: { limitMs: number; lateMs: number }): void {
  expect(error?.code).toBe(code)
  expect(durationMs).toBeGreaterThanOrEqual(limitMs - 10)
  expect(durationMs).toBeLessThan(limitMs + SLACK_MS + lateMs)
}
