import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { measureLateness } from '../support/lateness.ts'
import { startRawReceiver } from '../support/raw-receiver.ts'
import { startSender } from './start-sender.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const post = (url: string) => ({ url, headers: { 'Content-Type': 'application/json' }, body: '{"a":1}' })
const text = (body: Uint8Array | null) => body && Buffer.from(body).toString()

describe('a response', () => {
  test('is returned in full: status, headers, body, address, duration', async () => {
    await using receiver = await startRawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-One: 1\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 5\r\n\r\nhello')
    })
    await using sender = startSender()
    const result = await sender.send(post(receiver.url))
    expect(result).toEqual({
      statusCode: 200,
      responseHeaders: { 'x-one': '1', 'set-cookie': 'a, b', 'content-length': '5' },
      responseBody: Buffer.from('hello'),
      responseBodyTruncated: false,
      responseBodyBytes: 5,
      remoteIp: '127.0.0.1',
      durationMs: expect.any(Number),
      retryAfterSeconds: null,
      error: null,
    })
  })

  test('the request is a POST with our headers, our user agent, the host and exactly the bytes given', async () => {
    await using receiver = await startRawReceiver((socket) => socket.write(OK))
    await using sender = startSender()
    await sender.send({
      url: `${receiver.url}?q=1#part`,
      headers: { 'X-Service-Event': 'webhook.test' },
      body: Buffer.from([0xff, 0x00, 0x7b]),
    })
    const [head, body] = receiver.requests[0]?.split('\r\n\r\n') ?? []
    expect(head?.split('\r\n')).toEqual([
      'POST /hook?q=1 HTTP/1.1',
      `host: 127.0.0.1:${receiver.port}`,
      'connection: keep-alive',
      'X-Service-Event: webhook.test',
      'User-Agent: Earshot-Test',
      'content-length: 3',
    ])
    expect(body).toBe('\xff\x00\x7b')
  })

  test.each([
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
    ['404 with a body', 'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone', 404, 'gone'],
    ['500 in chunks', 'HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n', 500, 'abcde'],
    ['103 and 100 before 200', `HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${OK}`, 200, 'ok'],
    ['304', 'HTTP/1.1 304 Not Modified\r\n\r\n', 304, ''],
  ])('%s is read', async (_what, bytes, statusCode, body) => {
    await using receiver = await startRawReceiver((socket) => socket.write(bytes))
    await using sender = startSender()
    const result = await sender.send(post(receiver.url))
    expect({ statusCode: result.statusCode, body: text(result.responseBody), error: result.error }).toEqual({
      statusCode,
      body,
      error: null,
    })
  })

  test.each([
    ['HTTP/1.0, ended by closing', 'HTTP/1.0 200 OK\r\n\r\nold'],
    ['HTTP/1.1 without a length, ended by closing', 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nold'],
  ])('%s is read', async (_what, bytes) => {
    await using receiver = await startRawReceiver((socket) => socket.end(bytes))
    await using sender = startSender()
    expect(await sender.send(post(receiver.url)).then((result) => [result.statusCode, text(result.responseBody), result.error])).toEqual([
      200,
      'old',
      null,
    ])
  })

  test('Retry-After is read in both forms', async () => {
    const values = ['90', 'Sun, 06 Nov 1994 08:50:37 GMT']
    await using receiver = await startRawReceiver((socket) => {
      socket.write(
        `HTTP/1.1 503 Busy\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: ${values.shift()}\r\nContent-Length: 0\r\n\r\n`,
      )
    })
    await using sender = startSender()
    expect((await sender.send(post(receiver.url))).retryAfterSeconds).toBe(90)
    expect((await sender.send(post(receiver.url))).retryAfterSeconds).toBe(60)
  })

  test('connections are reused, and the address is still reported', async () => {
    await using receiver = await startRawReceiver((socket) => socket.write(OK))
    await using sender = startSender()
    for (let round = 0; round < 10; round += 1) expect((await sender.send(post(receiver.url))).remoteIp).toBe('127.0.0.1')
    // Two, as a socket rests for one turn of the event loop before it is used again.
    expect(receiver.connections).toBeLessThanOrEqual(2)
  })

  test('one stuck request does not hold up two hundred others to the same origin', async () => {
    await using receiver = await startRawReceiver((socket, request) => {
      if (!request.includes('stuck')) socket.write(OK)
    })
    await using sender = startSender({ responseTimeoutMs: 60_000 })
    const stop = new AbortController()
    const stuck = sender.send({ url: receiver.url, headers: {}, body: 'stuck', signal: stop.signal })
    const results = await Promise.all(Array.from({ length: 200 }, () => sender.send({ ...post(receiver.url), signal: stop.signal })))
    expect(results.filter(({ statusCode }) => statusCode !== 200)).toEqual([])
    stop.abort()
    expect((await stuck).error?.code).toBe('interrupted')
  })

  test('gzip is kept as received, not inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    await using receiver = await startRawReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`)
      socket.write(bomb)
    })
    await using sender = startSender()
    expect((await sender.send(post(receiver.url))).responseBody).toEqual(bomb.subarray(0, 4_096))
  })

  test.each([301, 302, 303, 307, 308])('a %d is not followed', async (statusCode) => {
    await using receiver = await startRawReceiver((socket, request) => {
      socket.write(request.startsWith('POST /hook') ? `HTTP/1.1 ${statusCode} X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n` : OK)
    })
    await using sender = startSender()
    const result = await sender.send(post(receiver.url))
    expect(result).toMatchObject({ statusCode, error: { code: 'redirect', detail: expect.stringContaining('/elsewhere') } })
    expect(receiver.requests).toHaveLength(1)
  })
})

test('on a reused connection the bound applies to each response by itself', async () => {
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(60_000)}`
  await using receiver = await startRawReceiver((socket) => socket.write(answer))
  await using sender = startSender()
  for (let round = 0; round < 40; round += 1) expect((await sender.send(post(receiver.url))).error).toBeNull()
  expect(receiver.connections).toBeLessThanOrEqual(2)
})

describe('a failure is data', () => {
  test('a closed port is connection_refused', async () => {
    await using sender = startSender()
    const result = await sender.send(post(`http://127.0.0.1:${await freePort()}/`))
    expect(result).toMatchObject({
      error: { code: 'connection_refused' },
      statusCode: null,
      responseHeaders: null,
      responseBody: null,
      remoteIp: null,
    })
  })

  test.each([
    ['silence', () => {}],
    ['headers that drip', (socket: { write: (bytes: string) => void }) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Long: ', 'x')],
    ['an endless run of 103', (socket: { write: (bytes: string) => void }) => drip(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('%s is read_timeout, and the connection is closed', async (_what, answer) => {
    await using receiver = await startRawReceiver(answer)
    await using sender = startSender({ responseTimeoutMs: 150 })
    using late = measureLateness()
    const result = await sender.send(post(receiver.url))
    expect(result).toMatchObject({ error: { code: 'read_timeout' }, statusCode: null, remoteIp: '127.0.0.1' })
    expect(result.durationMs).toBeGreaterThanOrEqual(145)
    expect(result.durationMs).toBeLessThan(2_000 + 1_000 * late.seconds())
    await receiver.closed(1)
  })

  test('a dripping body ends at the limit, and what arrived is kept', async () => {
    await using receiver = await startRawReceiver((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nbegin', '.'))
    await using sender = startSender({ responseTimeoutMs: 150 })
    const result = await sender.send(post(receiver.url))
    expect(result).toMatchObject({ error: { code: 'read_timeout' }, statusCode: 200 })
    expect(text(result.responseBody)).toMatch(/^begin/)
    await receiver.closed(1)
  })

  test.each([
    ['closed before the headers', '', 'end', 'connection_reset', null],
    ['reset before the headers', '', 'reset', 'connection_reset', null],
    ['closed within the headers', 'HTTP/1.1 200 OK\r\nX-', 'end', 'connection_reset', null],
    ['closed short of its Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort', 'end', 'connection_reset', 200],
    ['reset within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort', 'reset', 'connection_reset', 200],
    ['closed between chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n', 'end', 'connection_reset', 200],
    ['that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'end', 'protocol_error', null],
    ['with a bad status line', 'HTTP/1.1 abc OK\r\n\r\n', 'end', 'protocol_error', null],
    ['with a bad chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'end', 'protocol_error', 200],
    ['with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok', 'end', 'protocol_error', null],
    ['that switches protocols', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', 'end', 'protocol_error', null],
    ['of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'end', 'protocol_error', null],
  ])('an answer %s', async (...[, bytes, ending, code, statusCode]) => {
    await using receiver = await startRawReceiver((socket) => {
      socket.write(bytes, () => (ending === 'reset' ? socket.resetAndDestroy() : socket.end()))
    })
    await using sender = startSender({ responseTimeoutMs: 5_000 })
    const result = await sender.send(post(receiver.url))
    expect({ code: result.error?.code, statusCode: result.statusCode }).toEqual({ code, statusCode })
    expect(result.error?.detail).toMatch(/^[A-Z].*\.$/)
  })

  test('endless headers are protocol_error, and the connection is closed', async () => {
    await using receiver = await startRawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const pour = () => {
        while (socket.writable && socket.write(`X-Filler: ${'x'.repeat(1000)}\r\n`));
      }
      socket.on('drain', pour)
      pour()
    })
    await using sender = startSender()
    expect((await sender.send(post(receiver.url))).error).toMatchObject({
      code: 'protocol_error',
      detail: expect.stringContaining('16 KB'),
    })
    await receiver.closed(1)
  })

  test('headers that cannot be sent are a failure, not an exception', async () => {
    await using sender = startSender()
    expect((await sender.send({ url: 'http://127.0.0.1:1/', headers: { 'X-Bad': 'a\nb' }, body: '' })).error?.code).toBe('protocol_error')
  })
})

describe('stopping', () => {
  test('a signal ends the attempt at once as interrupted and closes its connection', async () => {
    const stop = new AbortController()
    await using receiver = await startRawReceiver(() => stop.abort())
    await using sender = startSender()
    expect((await sender.send({ ...post(receiver.url), signal: stop.signal })).error?.code).toBe('interrupted')
    await receiver.closed(1)
  })

  test('with a signal that is already aborted nothing is sent', async () => {
    await using receiver = await startRawReceiver((socket) => socket.write(OK))
    await using sender = startSender()
    expect((await sender.send({ ...post(receiver.url), signal: AbortSignal.abort() })).error?.code).toBe('interrupted')
    expect((await sender.send(post(receiver.url))).statusCode).toBe(200)
    expect(receiver.requests).toHaveLength(1)
  })

  test('closing the sender ends attempts in flight and connections being opened', async () => {
    const { promise: requested, resolve: onRequest } = Promise.withResolvers<void>()
    await using receiver = await startRawReceiver(() => onRequest())
    const sender = startSender({ resolve: () => new Promise(() => {}) })
    const inFlight = sender.send(post(receiver.url))
    const connecting = sender.send(post('http://never-resolves.example.com/'))
    await requested
    await sender.close()
    expect((await inFlight).error?.code).toBe('interrupted')
    expect((await connecting).error?.code).toBe('interrupted')
    expect((await sender.send(post(receiver.url))).error?.code).toBe('interrupted')
    await receiver.closed(1)
  })
})

function drip(
  socket: { write: (bytes: string) => void; on?: (event: 'close', listener: () => void) => void },
  first: string,
  next: string,
): void {
  if (first) socket.write(first)
  const timer = setInterval(() => socket.write(next), 10)
  socket.on?.('close', () => clearInterval(timer))
}
