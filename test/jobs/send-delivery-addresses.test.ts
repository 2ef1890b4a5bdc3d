import { createAddressRules, createOwnAddresses, type ResolveName } from '@earshot/drivers'
import { describe, expect, test } from 'vitest'
import { resolveFrom } from '../drivers/resolve-from.ts'
import { insideForms } from '../fault/inner-address-forms.ts'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { measureLateness } from '../support/lateness.ts'
import { startRawReceiver } from '../support/raw-receiver.ts'
import { startSender } from './start-sender.ts'

const CLOSING_OK = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'
const post = (url: string) => ({ url, headers: {}, body: '{}' })
const strict = createAddressRules({ allowNetworks: [], allowLoopback: false })

/** Each rule holds for both, and the proxy hears nothing of what is blocked. */
const ROUTES = [
  ['directly', undefined],
  ['through a proxy', startConnectProxy],
] as const

describe.each(ROUTES)('names, %s', (_route, startProxy) => {
  test('a name that does not resolve is dns_failure', async () => {
    await using proxy = await startProxy?.()
    await using sender = startSender({ proxy: proxy?.address ?? null, resolve: resolveFrom({ 'empty.example.com': [] }) })
    expect((await sender.send(post('https://none.example.com/'))).error).toEqual({
      code: 'dns_failure',
      detail: 'The name none.example.com does not resolve (ENOTFOUND).',
    })
    expect((await sender.send(post('https://empty.example.com/'))).error?.code).toBe('dns_failure')
  })

  test('the system resolver is asked when none is given', async () => {
    await using proxy = await startProxy?.()
    await using sender = startSender({ proxy: proxy?.address ?? null })
    expect((await sender.send(post('http://earshot.invalid/'))).error?.code).toBe('dns_failure')
  })

  test('a resolver that hangs is connect_timeout', async () => {
    await using proxy = await startProxy?.()
    await using sender = startSender({ proxy: proxy?.address ?? null, connectTimeoutMs: 100, resolve: () => new Promise(() => {}) })
    using late = measureLateness()
    const result = await sender.send(post('https://slow.example.com/'))
    expect(result.error?.code).toBe('connect_timeout')
    expect(result.durationMs).toBeLessThan(2_000 + 1_000 * late.seconds())
  })

  test('the receiver gets the name as Host, and the attempt records the address', async () => {
    await using receiver = await startRawReceiver((socket) => socket.write(CLOSING_OK))
    await using proxy = await startProxy?.()
    await using sender = startSender({ proxy: proxy?.address ?? null, resolve: resolveFrom({ 'hooks.example.com': ['127.0.0.1'] }) })
    const result = await sender.send(post(`http://hooks.example.com:${receiver.port}/`))
    expect(result).toMatchObject({ statusCode: 200, remoteIp: '127.0.0.1' })
    expect(receiver.requests[0]).toContain(`host: hooks.example.com:${receiver.port}\r\n`)
    if (proxy) expect(proxy.tunnels).toEqual([`127.0.0.1:${receiver.port}`])
  })

  test('if one of several addresses is closed, the next is tried; if all are, it is connection_refused', async () => {
    const names = { 'two.example.com': ['127.0.0.2', '127.0.0.1'], 'dead.example.com': ['127.0.0.2', '127.0.0.3'] }
    await using receiver = await startRawReceiver((socket) => socket.write(CLOSING_OK))
    await using proxy = await startProxy?.()
    await using sender = startSender({ proxy: proxy?.address ?? null, resolve: resolveFrom(names) })
    expect((await sender.send(post(`http://two.example.com:${receiver.port}/`))).remoteIp).toBe('127.0.0.1')
    const dead = await sender.send(post(`http://dead.example.com:${await freePort()}/`))
    expect(dead.error?.code).toBe(proxy ? 'proxy_error' : 'connection_refused')
  })
})

describe.each(ROUTES)('internal addresses, %s', (_route, startProxy) => {
  test.each([
    ['a literal', '127.0.0.1'],
    ['a literal IPv6 address', '[::1]'],
    ['an IPv4-mapped literal', '[::ffff:127.0.0.1]'],
    ['a decimal literal', '2130706433'],
    ['a name that resolves inside', 'inside.example.com'],
    ['a name that also resolves inside', 'mixed.example.com'],
    ['a name that resolves to an IPv4-mapped address', 'mapped.example.com'],
    ['a name whose answer is no address', 'odd.example.com'],
  ])('%s is blocked_address, and nothing connects', async (_what, host) => {
    await using receiver = await startRawReceiver((socket) => socket.write(CLOSING_OK))
    const resolve = resolveFrom({
      'inside.example.com': ['127.0.0.1'],
      'mixed.example.com': ['8.8.8.8', '127.0.0.1'],
      'mapped.example.com': ['::ffff:127.0.0.1'],
      'odd.example.com': ['localhost'],
    })
    await using proxy = await startProxy?.()
    await using sender = startSender({ proxy: proxy?.address ?? null, rules: strict, resolve })
    const result = await sender.send(post(`http://${host}:${receiver.port}/`))
    expect(result).toMatchObject({ error: { code: 'blocked_address' }, remoteIp: null, statusCode: null })
    expect([receiver.connections, proxy?.connections ?? 0]).toEqual([0, 0])
  })

  test('so is every form of the table of internal addresses', async () => {
    await using proxy = await startProxy?.()
    await using sender = startSender({ proxy: proxy?.address ?? null, rules: strict })
    const forms = insideForms(9, [])
    const results = await Promise.all(forms.map(async ([url]) => [url, (await sender.send(post(url))).error?.code]))
    expect(results).toEqual(forms.map(([url]) => [url, 'blocked_address']))
    expect(proxy?.connections ?? 0).toBe(0)
  })

  test.each(['http://user:password@127.0.0.1/', 'http://127.0.0.1:0/', 'ftp://127.0.0.1/', 'nonsense'])(
    '%s is blocked_address',
    async (url) => {
      await using proxy = await startProxy?.()
      await using sender = startSender({ proxy: proxy?.address ?? null })
      expect((await sender.send(post(url))).error?.code).toBe('blocked_address')
      expect(proxy?.connections ?? 0).toBe(0)
    },
  )

  test('plain http is blocked_address where it is not allowed', async () => {
    await using proxy = await startProxy?.()
    await using sender = startSender({ proxy: proxy?.address ?? null, allowInsecure: false })
    expect((await sender.send(post('http://127.0.0.1:9/'))).error).toMatchObject({
      code: 'blocked_address',
      detail: expect.stringContaining('https'),
    })
  })

  test('the service itself is blocked_address, by address and by any name for it; its neighbours are not', async () => {
    await using receiver = await startRawReceiver((socket) => socket.write(CLOSING_OK))
    await using neighbour = await startRawReceiver((socket) => socket.write(CLOSING_OK))
    await using proxy = await startProxy?.()
    await using sender = startSender({
      proxy: proxy?.address ?? null,
      ownAddresses: createOwnAddresses([{ host: '127.0.0.1', port: receiver.port }]),
      resolve: resolveFrom({ 'alias.example.com': ['127.0.0.1'] }),
    })
    for (const host of ['127.0.0.1', '[::1]', 'alias.example.com']) {
      expect((await sender.send(post(`http://${host}:${receiver.port}/`))).error?.code).toBe('blocked_address')
    }
    expect([receiver.connections, proxy?.connections ?? 0]).toEqual([0, 0])
    expect((await sender.send(post(`http://alias.example.com:${neighbour.port}/`))).statusCode).toBe(200)
  })
})

describe.each(ROUTES)('rebinding, %s', (_route, startProxy) => {
  test('the connection goes to the address that was checked: the name is resolved once per connection', async () => {
    await using receiver = await startRawReceiver((socket) => socket.write(CLOSING_OK))
    const answers = ['127.0.0.1', '10.0.0.1', '127.0.0.1']
    const asked: string[] = []
    const resolve: ResolveName = async (hostname) => {
      asked.push(hostname)
      return [{ address: answers.shift() ?? '', family: 4 }]
    }
    await using proxy = await startProxy?.()
    await using sender = startSender({ proxy: proxy?.address ?? null, resolve })
    const url = `http://rebinding.example.com:${receiver.port}/`
    expect((await sender.send(post(url))).statusCode).toBe(200)
    expect(asked).toHaveLength(1)
    expect((await sender.send(post(url))).error?.code).toBe('blocked_address')
    expect((await sender.send(post(url))).statusCode).toBe(200)
    expect([asked.length, receiver.connections]).toEqual([3, 2])
  })
})
