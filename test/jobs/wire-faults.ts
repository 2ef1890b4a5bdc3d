import type { TlsOptions } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { resolveFrom } from '../drivers/resolve-from.ts'
import { freePort } from '../support/free-port.ts'
import { type RawReceiver, type RawReceiverOptions, startRawReceiver } from '../support/raw-receiver.ts'
import { drips, type Play, pours, redirectsTo, says, saysAndEnds, saysAndResets, withStatus } from '../support/raw-responses.ts'
import { fillBacklog } from './full-backlog.ts'

export const NAME = 'hooks.example.com'
export const LIMIT_MS = 1_000
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** The attempts at a receiver as the API shows them, and the end of the delivery. */
export interface Fault {
  what: string
  open: () => Promise<Opened>
  /** Whether requests reach the receiver. */
  isReached?: false
  status: number | null
  error: string | null
  /** The response as received; null without one. */
  body: string | RegExp | Buffer | null
  isTruncated?: true
  ends: 'succeeded' | 'failed at once' | 'failed after eight'
  /** The delay that the receiver asks for between attempts. */
  retryAfterSeconds?: number
}

type Opened = AsyncDisposable & { url: string } & Partial<RawReceiver>

/** Host names in the table; the DNS never responds for one of them. */
const known = resolveFrom({ [NAME]: ['127.0.0.1'] })
export const resolve: typeof known = (name) => (name === 'slow.example.com' ? new Promise(() => {}) : known(name))

const playing = (play: Play, options?: RawReceiverOptions) => () => startRawReceiver(play, options)
const at = (url: string) => async (): Promise<Opened> => ({ url, [Symbol.asyncDispose]: async () => {} })

const retried = { ends: 'failed after eight' } as const
const final = { ends: 'failed at once' } as const
const succeeds = { status: 200, error: null, ends: 'succeeded' } as const
const unanswered = { ...retried, status: null, body: null } as const
const bomb = gzipSync(Buffer.alloc(100_000_000))

const connections: Fault[] = [
  {
    what: 'a closed port',
    open: async () => at(`http://127.0.0.1:${await freePort()}/`)(),
    isReached: false,
    ...unanswered,
    error: 'connection_refused',
  },
  {
    what: 'a full accept backlog',
    open: () => fillBacklog(),
    isReached: false,
    ...unanswered,
    error: 'connect_timeout',
  },
  { what: 'a name that is not there', open: at('http://none.example.com/'), isReached: false, ...unanswered, error: 'dns_failure' },
  {
    what: 'a name that is never resolved',
    open: at('http://slow.example.com/'),
    isReached: false,
    ...unanswered,
    error: 'connect_timeout',
  },
]

const silences: Fault[] = [
  { what: 'silence', open: playing(() => {}), ...unanswered, error: 'read_timeout' },
  { what: 'headers that drip', open: playing(drips('HTTP/1.1 200 OK\r\nX-Long: ', 'x')), ...unanswered, error: 'read_timeout' },
  { what: '103 that drips', open: playing(drips('', 'HTTP/1.1 103 Early Hints\r\n\r\n')), ...unanswered, error: 'read_timeout' },
  {
    what: 'a body that drips',
    open: playing(drips('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nbegin', '.')),
    ...retried,
    ...{ status: 200, error: 'read_timeout', body: /^begin\.+$/ },
  },
]

const endings: Fault[] = [
  { what: 'closed before the headers', open: playing(saysAndEnds('')), ...unanswered, error: 'connection_reset' },
  { what: 'reset before the headers', open: playing((socket) => socket.resetAndDestroy()), ...unanswered, error: 'connection_reset' },
  { what: 'reset within the headers', open: playing(saysAndResets('HTTP/1.1 200 OK\r\nX-')), ...unanswered, error: 'connection_reset' },
  ...(
    [
      ['reset after the headers', saysAndResets('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'), ''],
      ['reset within the body', saysAndResets('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort'), 'short'],
      ['closed short of its length', saysAndEnds('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort'), 'short'],
      ['closed between chunks', saysAndEnds('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n'), 'ab'],
    ] as const
  ).map(([what, play, body]): Fault => ({ what, open: playing(play), ...retried, status: 200, error: 'connection_reset', body })),
  { what: '200, and then a reset', open: playing(saysAndResets(OK)), ...succeeds, body: 'ok' },
]

const nonsense: Fault[] = (
  [
    ['endless headers', pours('HTTP/1.1 200 OK\r\n', `X-Filler: ${'x'.repeat(1000)}\r\n`), null],
    ['a flood of 103', pours('', 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'.repeat(500)), null],
    ['a flood of empty lines', pours('', '\r\n'.repeat(10_000)), null],
    ['a chunk extension without end', pours('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'x'.repeat(20_000)), 200],
    ['trailers without end', pours('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'X-T: t\r\n'.repeat(500)), 200],
    ['SSH', says('SSH-2.0-OpenSSH_9.6\r\n'), null],
    ['HTTP/2', says('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), null],
    ['a status that is no number', says('HTTP/1.1 abc OK\r\n\r\n'), null],
    ['status 099', says('HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n'), null],
    ['status 1000', says('HTTP/1.1 1000 No\r\nContent-Length: 0\r\n\r\n'), null],
    ['two lengths', says('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'), null],
    ['a bad chunk', says('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'), 200],
    ['101', says('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'), null],
  ] as const
).map(([what, play, status]) => {
  const body = status === null ? null : ''
  return { what, open: playing(play), ...retried, status, error: 'protocol_error', body }
})

const answers: Fault[] = [
  { what: 'HTTP/1.0, ended by closing', open: playing(saysAndEnds('HTTP/1.0 200 OK\r\n\r\nold')), ...succeeds, body: 'old' },
  { what: 'no Content-Length', open: playing(saysAndEnds('HTTP/1.1 200 OK\r\n\r\nold')), ...succeeds, body: 'old' },
  {
    what: 'chunks',
    open: playing(says('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n')),
    ...succeeds,
    body: 'ab',
  },
  { what: '103 before 200', open: playing(says(`HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n${OK}`)), ...succeeds, body: 'ok' },
  {
    what: '64 KB',
    open: playing(says(`HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n${'x'.repeat(65_536)}`)),
    ...succeeds,
    body: Buffer.alloc(4_096, 'x'),
    isTruncated: true,
  },
  {
    what: '64 KB + 1',
    open: playing(says(`HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n${'x'.repeat(65_537)}`)),
    ...succeeds,
    ...{ body: Buffer.alloc(4_096, 'x'), isTruncated: true },
  },
  {
    what: '64 KB, a byte per chunk',
    open: playing(says(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(65_536)}0\r\n\r\n`)),
    ...succeeds,
    body: Buffer.alloc(4_096, 'x'),
    isTruncated: true,
  },
  {
    what: 'a body without end',
    open: playing(pours('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(0x4000))),
    ...succeeds,
    ...{ body: Buffer.alloc(4_096, 'x'), isTruncated: true },
  },
  {
    what: 'a gzip bomb',
    open: playing(
      says(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`), bomb])),
    ),
    ...succeeds,
    ...{ body: bomb.subarray(0, 4_096), isTruncated: true },
  },
]

const statuses: Fault[] = [
  ...[200, 201, 202, 203, 204, 205, 206, 207, 226, 299].map((status) => ({ status, error: null, ends: 'succeeded' as const })),
  ...[300, 301, 302, 303, 305, 307, 308].map((status) => ({ status, error: 'redirect', ...final })),
  ...[304, 306, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418].map((status) => ({
    status,
    error: null,
    ...final,
  })),
  ...[421, 422, 423, 424, 425, 426, 428, 431, 451, 499, 501, 505, 506, 507, 508, 510, 511, 520, 599, 600, 999].map((status) => ({
    status,
    error: null,
    ...final,
  })),
  ...[429, 500, 502, 503, 504].map((status) => ({ status, error: null, ...retried })),
].map((expected) => ({
  what: `status ${expected.status}`,
  open: playing(withStatus(expected.status)),
  body: expected.status === 204 || expected.status === 304 ? '' : 'why',
  ...expected,
}))

const redirects: Fault[] = (
  [
    ['301 to itself', redirectsTo('/hook')],
    ['301 to its own address', redirectsTo((port) => `http://127.0.0.1:${port}/hook`)],
    ['301 to 127.0.0.1', redirectsTo((port) => `http://127.0.0.1:${port}/elsewhere`)],
    ['301 to the metadata host', redirectsTo('http://169.254.169.254/latest/meta-data/')],
    ['301 to elsewhere', redirectsTo('https://203.0.113.7/')],
    ['301 to nowhere', redirectsTo('')],
  ] as const
).map(([what, play]) => ({ what, open: playing(play), ...final, status: 301, error: 'redirect', body: '' }))

const inTenMinutes = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:59:37 GMT\r\n'
const waits: Fault[] = (
  [
    ['429 with Retry-After in seconds', 429, 'Retry-After: 600\r\n', 600],
    ['429 with Retry-After as a date', 429, inTenMinutes, 600],
    ['503 with Retry-After in seconds', 503, 'Retry-After: 600\r\n', 600],
    ['503 with Retry-After as a date', 503, inTenMinutes, 600],
    ['429 that asks for ten days', 429, 'Retry-After: 864000\r\n', 172_800],
    ['429 with a Retry-After that nobody can read', 429, 'Retry-After: soon\r\n', 0],
    ['500 with Retry-After, which does not count there', 500, 'Retry-After: 600\r\n', 0],
  ] as const
).map(([what, status, headers, retryAfterSeconds]) => ({
  ...{ what, open: playing(withStatus(status, headers)), ...retried },
  ...{ status, error: null, body: 'why', retryAfterSeconds },
}))

export const plainFaults: Fault[] = [...connections, ...silences, ...endings, ...nonsense, ...answers, ...statuses, ...redirects, ...waits]

/** Certificates are made when the test starts. */
export interface Certificates {
  trusted: TlsOptions
  otherHost: TlsOptions
  expired: TlsOptions
  notYetValid: TlsOptions
  selfSigned: TlsOptions
  unknownAuthority: TlsOptions
}

/** Over TLS, by a name. */
export function tlsFaults(certificates: Certificates): Fault[] {
  const named = (start: () => Promise<RawReceiver>) => async (): Promise<Opened> => {
    const receiver = await start()
    return { ...receiver, url: `https://${NAME}:${receiver.port}/hook` }
  }
  const behind = (tls: TlsOptions) => named(() => startRawReceiver(says(OK), { tls }))
  const refused = { ...unanswered, isReached: false, error: 'tls_error' } as const
  const old = { ...certificates.trusted, minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  return [
    { what: 'TLS with a trusted certificate', open: behind(certificates.trusted), ...succeeds, body: 'ok' },
    { what: 'a certificate for another host', open: behind(certificates.otherHost), ...refused },
    { what: 'an expired certificate', open: behind(certificates.expired), ...refused },
    { what: 'a certificate that is not valid yet', open: behind(certificates.notYetValid), ...refused },
    { what: 'a self-signed certificate', open: behind(certificates.selfSigned), ...refused },
    { what: 'a certificate of an unknown authority', open: behind(certificates.unknownAuthority), ...refused },
    { what: 'TLS 1.0', open: behind(old), ...refused },
    {
      what: 'plain HTTP where TLS should be',
      open: named(() => startRawReceiver(() => {}, { onConnection: says('HTTP/1.1 400 Bad Request\r\n\r\n') })),
      ...refused,
    },
    { what: 'a handshake that hangs', open: named(() => startRawReceiver(() => {})), ...refused, error: 'connect_timeout' },
    {
      what: 'a handshake that is cut off',
      open: named(() => startRawReceiver(() => {}, { onConnection: (socket) => void socket.end() })),
      ...refused,
      error: 'connection_reset',
    },
  ]
}
