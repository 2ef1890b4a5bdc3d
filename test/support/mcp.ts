import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { TestResponse, TestService } from './test-service.ts'

export const MODERN = '2026-07-28'

/** The two revisions of the protocol: without state, and with the handshake of 2025. */
export const eras = ['modern', 'legacy'] as const
type Era = (typeof eras)[number]

interface Connection {
  token: string
  era?: Era
  /** Under `/mcp`. */
  path?: string
  headers?: Record<string, string>
  /** Prepares the client before it connects. */
  prepare?: (client: Client) => void
  capabilities?: object
}

/** Connects the official client. */
export async function connect(service: Pick<TestService, 'url'>, connection: Connection): Promise<Client> {
  const { token, era = 'modern', path = '/mcp', headers = {}, capabilities = {}, prepare } = connection
  const mode = era === 'modern' ? { pin: MODERN } : 'legacy'
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, capabilities })
  prepare?.(client)
  const requestInit = { headers: { authorization: `Bearer ${token}`, ...headers } }
  await client.connect(new StreamableHTTPClientTransport(new URL(service.url + path), { requestInit }))
  return client
}

/** A message of 2025, which needs no handshake from a server without sessions. */
export function message(method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method, params }
}

/** Posts a body as a client of 2025 does. Returns the JSON of the answer, also of one in an event stream. */
export async function post(
  service: TestService,
  body: unknown,
  { path = '/mcp', ...options }: { path?: string; token?: string; headers?: Record<string, string> } = {},
): Promise<TestResponse> {
  const headers = { accept: 'application/json, text/event-stream', ...options.headers }
  const answer = await service.send('POST', path, { ...options, headers, body })
  const data = typeof answer.body === 'string' ? answer.body.match(/^data: (.+)$/m)?.[1] : undefined
  return data === undefined ? answer : { ...answer, body: JSON.parse(data) }
}

/** Calls a tool with one request of 2025. */
export function callTool(service: TestService, name: string, args: object, options: { token?: string; headers?: Record<string, string> }) {
  return post(service, message('tools/call', { name, arguments: args }), options)
}
