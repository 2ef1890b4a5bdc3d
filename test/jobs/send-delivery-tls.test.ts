import { getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resolveFrom } from '../drivers/resolve-from.ts'
import { measureLateness } from '../support/lateness.ts'
import { startRawReceiver } from '../support/raw-receiver.ts'
import { type Authority, certificate, makeAuthority } from './certificates.ts'
import { startSender } from './start-sender.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const post = (port: number, host = 'hooks.example.com') => ({ url: `https://${host}:${port}/`, headers: {}, body: '{}' })
const resolve = resolveFrom({ 'hooks.example.com': ['127.0.0.1'], 'other.example.com': ['127.0.0.1'] })

let trusted: Authority
let unknown: Authority
const systemCertificates = getCACertificates()

beforeAll(async () => {
  trusted = await makeAuthority('Trusted Test CA')
  unknown = await makeAuthority('Unknown Test CA')
  setDefaultCACertificates([...systemCertificates, trusted.cert])
})
afterAll(() => setDefaultCACertificates(systemCertificates))

describe('TLS', () => {
  test('a trusted certificate for the name is accepted, with the name as SNI', async () => {
    const names: unknown[] = []
    const tls = await certificate(trusted)
    await using receiver = await startRawReceiver((socket) => socket.write(OK), {
      tls: { ...tls, SNICallback: (name, done) => [names.push(name), done(null)] },
    })
    await using sender = startSender({ resolve, allowInsecure: false })
    expect(await sender.send(post(receiver.port))).toMatchObject({ statusCode: 200, remoteIp: '127.0.0.1', error: null })
    expect(names).toEqual(['hooks.example.com'])
  })

  test('a certificate for an address is accepted at that address', async () => {
    await using receiver = await startRawReceiver((socket) => socket.write(OK), { tls: await certificate(trusted) })
    await using sender = startSender()
    expect((await sender.send(post(receiver.port, '127.0.0.1'))).statusCode).toBe(200)
  })

  test('HTTP/2 is never offered', async () => {
    const tls = await certificate(trusted)
    await using receiver = await startRawReceiver((socket) => socket.write(OK), { tls: { ...tls, ALPNProtocols: ['h2', 'http/1.1'] } })
    await using sender = startSender({ resolve })
    expect((await sender.send(post(receiver.port))).statusCode).toBe(200)
    expect(receiver.requests[0]).toMatch(/^POST \/ HTTP\/1\.1/)
  })

  test.each<[string, () => Promise<TlsOptions>, string]>([
    ['self-signed', () => certificate(null), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['of an unknown authority', () => certificate(unknown), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['that has expired', () => certificate(trusted, { from: -2, to: -1 }), 'CERT_HAS_EXPIRED'],
    ['that is not valid yet', () => certificate(trusted, { from: 1, to: 2 }), 'CERT_NOT_YET_VALID'],
    ['for another host', () => certificate(trusted, { host: 'other.example.com' }), 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('a certificate %s is tls_error, and no request is sent', async (_what, makeTls, reason) => {
    await using receiver = await startRawReceiver((socket) => socket.write(OK), { tls: await makeTls() })
    await using sender = startSender({ resolve })
    const result = await sender.send(post(receiver.port))
    expect(result).toMatchObject({ statusCode: null, error: { code: 'tls_error', detail: expect.stringContaining(reason) } })
    expect(receiver.requests).toEqual([])
  })

  test('a server of TLS 1.0 is tls_error', async () => {
    const tls = { ...(await certificate(trusted)), minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    await using receiver = await startRawReceiver((socket) => socket.write(OK), { tls })
    await using sender = startSender({ resolve })
    expect((await sender.send(post(receiver.port))).error?.code).toBe('tls_error')
  })

  test('a plain port is tls_error', async () => {
    await using receiver = await startRawReceiver(() => {}, { onConnection: (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') })
    await using sender = startSender({ resolve })
    expect((await sender.send(post(receiver.port))).error).toMatchObject({ code: 'tls_error', detail: expect.stringContaining('ERR_SSL') })
  })

  test('a handshake that hangs is connect_timeout, and the connection is closed', async () => {
    await using receiver = await startRawReceiver(() => {})
    await using sender = startSender({ resolve, connectTimeoutMs: 150 })
    using late = measureLateness()
    const result = await sender.send(post(receiver.port))
    expect(result).toMatchObject({ error: { code: 'connect_timeout' }, statusCode: null })
    expect(result.durationMs).toBeLessThan(2_000 + 1_000 * late.seconds())
    await receiver.closed(1)
  })

  test('a handshake that is cut off is connection_reset', async () => {
    await using receiver = await startRawReceiver(() => {}, { onConnection: (socket) => socket.end() })
    await using sender = startSender({ resolve })
    expect((await sender.send(post(receiver.port))).error?.code).toBe('connection_reset')
  })
})
