import { takesKey } from '../operation-names.ts'
import type { ClientOperation } from './operation.ts'
import type { CallOptions, ClientOptions } from './options.ts'

type Fields = Readonly<Record<string, unknown>>

/** The arguments of `fetch`, the same for each attempt. */
export interface PreparedRequest {
  address: string
  init: RequestInit
}

/** Builds the request of an operation. Throws a TypeError when the input lacks a field of the path. */
export function requestOf(operation: ClientOperation, input: Fields, client: ClientOptions, call: CallOptions): PreparedRequest {
  const { method, path, pathFields, headerFields } = operation
  const others = Object.entries(input).filter(([name, value]) => !pathFields.has(name) && !headerFields.has(name) && value !== undefined)
  const ofInput = Object.fromEntries([...headerFields].map(([name, header]) => [header, String(input[name])]))
  const hasBody = method === 'POST' || method === 'PATCH'
  const address = new URL(client.baseUrl.replace(/\/+$/, '') + fillPath(path, input) + (hasBody ? '' : queryOf(others)))
  return {
    address: address.href,
    init: {
      method,
      headers: headersOf(operation, client, { ...call, headers: { ...call.headers, ...ofInput } }),
      redirect: 'manual',
      ...(hasBody && { body: JSON.stringify(Object.fromEntries(others)) }),
      ...(operation.access === 'public' && { credentials: 'omit' as const }),
    },
  }
}

function fillPath(path: string, input: Fields): string {
  return path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = input[name]
    // WHATWG URL drops dot segments, also percent-encoded ones, and so would leave the operation's path.
    if (typeof value !== 'string' || value === '' || value === '.' || value === '..') throw new TypeError(`${path} requires ${name}`)
    return encodeURIComponent(value)
  })
}

function queryOf(fields: [string, unknown][]): string {
  const pairs = fields.flatMap(([name, value]) => pairsOf(name, value))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** Arrays repeat their name, and objects add their keys to it. */
function pairsOf(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.map((item) => [name, String(item)])
  if (typeof value === 'object' && value !== null) return Object.entries(value).map(([key, item]) => [`${name}.${key}`, String(item)])
  return [[name, String(value)]]
}

/** Returns the headers of a request of an operation: its credentials, and those of the client and the call. */
export function headersOf(
  operation: Pick<ClientOperation, 'method' | 'access' | 'waitsSeconds' | 'reauthenticates'>,
  { token, userAgent, headers }: ClientOptions,
  call: CallOptions,
): Headers {
  const result = new Headers({ accept: 'application/json', ...(userAgent && { 'user-agent': userAgent }) })
  if (token) result.set('authorization', `Bearer ${token}`)
  if (takesKey(operation)) result.set('idempotency-key', call.idempotencyKey ?? randomUuid())
  if (operation.method === 'POST' || operation.method === 'PATCH') result.set('content-type', 'application/json')
  for (const [name, value] of Object.entries({ ...headers, ...call.headers })) result.set(name, value)
  if (operation.access !== 'credential') result.delete('authorization')
  return result
}

/** Returns a UUIDv4 (RFC 9562 §5.4). Browsers have `crypto.randomUUID` only in secure contexts, so not over plain http. */
function randomUuid(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
