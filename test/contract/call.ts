import { contracts, type NamedOperation } from '@earshot/contracts'
import { expect } from 'vitest'
import { buildDocument } from '../../server/src/openapi/document.ts'
import type { SendOptions, TestResponse, TestService } from '../support/test-service.ts'

/** The parts of a REST call of an operation. */
export interface RestCall extends SendOptions {
  path?: Readonly<Record<string, unknown>>
  query?: URLSearchParams | undefined
  /** The operation’s own unless given. */
  method?: 'HEAD'
}

/** The number of calls that the service accepts in one request of /trpc. */
export const MAX_BATCH = 20

const { paths } = buildDocument(contracts, { baseUrl: 'http://localhost:8000', version: '0.0.0' })

/** Calls an operation over REST and checks that the status is documented for it. */
export async function callRest(service: TestService, named: NamedOperation, call: RestCall): Promise<TestResponse> {
  const { path = {}, query, method = named.operation.method, ...options } = call
  const { path: template } = named.operation
  const address = fill(template, path) + (query === undefined ? '' : `?${query}`)
  const answer = await service.send(method, address, options)
  expect(documentedStatuses(named), `${named.name} answered ${JSON.stringify(answer.body)}`).toContain(answer.status)
  return answer
}

/** Calls a procedure of /trpc: a query by its URL, a mutation by its body. */
export async function callTrpc(service: TestService, { name, operation }: NamedOperation, input: unknown, options: SendOptions = {}) {
  if (operation.method !== 'GET') return service.send('POST', `/trpc/${name}`, { ...options, body: input })
  return service.send('GET', `/trpc/${name}?${new URLSearchParams({ input: JSON.stringify(input) })}`, options)
}

/** A call of a procedure in a batch. */
export interface BatchedCall {
  named: NamedOperation
  input: unknown
}

/** Calls procedures of /trpc in one request: all of them queries, or all of them mutations. */
export async function callTrpcBatch(service: TestService, calls: readonly BatchedCall[], options: SendOptions = {}) {
  const names = calls.map(({ named }) => named.name)
  const inputs = Object.fromEntries(calls.map(({ input }, index) => [index, input]))
  if (calls[0]?.named.operation.method !== 'GET') return service.send('POST', `/trpc/${names}?batch=1`, { ...options, body: inputs })
  return service.send('GET', `/trpc/${names}?${new URLSearchParams({ batch: '1', input: JSON.stringify(inputs) })}`, options)
}

/** Calls a procedure with one input after another, in as few requests as the service accepts. Returns the result of each. */
export async function callTrpcWithEach(service: TestService, named: NamedOperation, inputs: readonly unknown[], options: SendOptions = {}) {
  const results: TestResponse['body'][] = []
  for (let start = 0; start < inputs.length; start += MAX_BATCH) {
    const calls = inputs.slice(start, start + MAX_BATCH).map((input) => ({ named, input }))
    const { body } = await callTrpcBatch(service, calls, options)
    expect(body, JSON.stringify(body)).toHaveLength(calls.length)
    results.push(...body)
  }
  return results
}

/** Splits an input into path, headers, query and body; the headers come with those that are given. */
export function sourcesOf(
  { operation }: NamedOperation,
  input: Readonly<Record<string, unknown>>,
  { headers = {} }: { headers?: Record<string, string> } = {},
) {
  const own = [...operation.headerFields].flatMap(([name, header]) => (input[name] === undefined ? [] : [[header, String(input[name])]]))
  const part = (names: ReadonlySet<string>) => Object.fromEntries(Object.entries(input).filter(([name]) => names.has(name)))
  const query = new URLSearchParams(
    Object.entries(part(operation.queryFields)).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const hasBody = operation.method === 'POST' || operation.method === 'PATCH'
  return {
    path: part(operation.pathFields),
    headers: { ...Object.fromEntries(own), ...headers } as Record<string, string>,
    ...(query.size > 0 && { query }),
    ...(hasBody && { body: part(operation.bodyFields) }),
  }
}

export function fill(template: string, path: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(path[name])))
}

function documentedStatuses({ operation }: NamedOperation): number[] {
  const item = paths?.[operation.path]
  const entry = item?.[operation.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete']
  return Object.keys(entry?.responses ?? {}).map(Number)
}
