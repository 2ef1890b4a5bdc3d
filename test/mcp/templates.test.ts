import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { eras, MODERN } from '../support/mcp.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

// A call is answered from the SDK's answer to one that differs in id and arguments alone. A header that the SDK does not know makes another
// cache key, so that the SDK answers: both answers must be the same, whatever the message.

let service: TestService
let team: Team
let submissionId: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  const body = 'Quotes " and \\ and $& and $1, \u2028, 👩‍💻, \u200bnothing,\nlines and "text":""}],"structuredContent":{} "id":1'
  submissionId = (await team.submit({ title: 'Hello', body, metadata: { page: 'a' } })).id
  await team.submit({ body: 'Second' })
})
afterAll(() => service.close())
beforeEach(() => () => vi.restoreAllMocks())

interface Call {
  /** Of the message. */
  fields?: object
  params?: object
  /** Beside the place. */
  args?: object
  meta?: object
  /** Null leaves a header out. */
  headers?: Record<string, string | null>
}

const VARYING = new Set(['date', 'x-request-id', 'ratelimit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])

/** Sends a list of submissions, changed as told. Returns what a client receives, without what differs for each request. */
async function send(era: (typeof eras)[number], { fields, params, args, meta, headers }: Call, more: Record<string, string> = {}) {
  const isModern = era === 'modern'
  const envelope = isModern && {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const sent = {
    'content-type': 'application/json',
    authorization: `Bearer ${team.token}`,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': isModern ? MODERN : '2025-11-25',
    ...(isModern && { 'mcp-method': 'tools/call', 'mcp-name': 'submissions_list' }),
    ...headers,
    ...more,
  }
  const list = { name: 'submissions_list', arguments: { ...team.project, ...args }, _meta: { ...envelope, ...meta } }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...list, ...params }, ...fields }
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: Object.entries(sent).filter((header): header is [string, string] => header[1] !== null),
    body: JSON.stringify(message),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !VARYING.has(name)),
    body: text.replaceAll(/strangers-[0-9a-f]{8}/g, 'strangers-').replaceAll(/req_\w+|"request_id\\?":\\?"[^"\\]+/g, 'request'),
  }
}

/** Sends a call with a cache key of its own, so that the SDK answers. */
async function sendToSdk(era: (typeof eras)[number], call: Call) {
  const asked = countAsked()
  const answer = await send(era, call, { 'mcp-test': randomUUID() })
  expect(asked()).toBe(1)
  expect(answer.status).toBeLessThan(500)
  vi.restoreAllMocks()
  return answer
}

/** Whether the SDK is asked, cannot be seen from outside: it reads web requests, which nothing else in the service makes. */
function countAsked() {
  const made = vi.spyOn(globalThis, 'Request')
  return () => made.mock.calls.length
}

describe.each(eras)('in the %s era', (era) => {
  beforeAll(async () => {
    expect(await send(era, {})).toMatchObject({ status: 200 })
  })

  test.each<[string, Call]>([
    ['the same message', {}],
    ['another id', { fields: { id: 7 } }],
    ['the id 0', { fields: { id: 0 } }],
    ['a negative id', { fields: { id: -3 } }],
    ['a text as id', { fields: { id: 'a"b\u2028$&' } }],
    ['an empty text as id', { fields: { id: '' } }],
    ['other arguments', { args: { limit: 1, state: 'pending' } }],
    ['a list without results', { args: { created_before: '2001-01-01T00:00:00Z' } }],
    ['a progress token', { meta: { progressToken: 5 } }],
    ['another progress token', { meta: { progressToken: 'five' } }],
    ['fields of a client', { meta: { 'example.com/call': 1, traceparent: '00-1-2-00' } }],
    ['wrong types in fields of a client', { meta: { traceparent: {}, tracestate: [], 'example/x': null, '': 0, toString: 1 } }],
  ])('%s is answered as the SDK answered before', async (_what, call) => {
    const cold = await sendToSdk(era, call)
    const asked = countAsked()
    const warm = await send(era, call)
    expect(asked()).toBe(0)
    expect(warm).toEqual(cold)
    expect(warm.status).toBe(200)
  })

  test.each<[string, Call]>([
    ['no id', { fields: { id: undefined } }],
    ['null as id', { fields: { id: null } }],
    ['a fraction as id', { fields: { id: 1.5 } }],
    ['an object as id', { fields: { id: {} } }],
    ['another version of JSON-RPC', { fields: { jsonrpc: '1.0' } }],
    ['unknown fields', { fields: { more: 1 } }],
    ['unknown params', { params: { more: 1 } }],
    ['another method', { fields: { method: 'tools/list' } }],
    ['an unknown tool', { params: { name: 'no_such_tool' } }],
    ['another tool than the header names', { params: { name: 'projects_list' } }],
    ['no arguments', { params: { arguments: undefined } }],
    ['null as arguments', { params: { arguments: null } }],
    ['an array as arguments', { params: { arguments: [1] } }],
    ['no meta', { params: { _meta: undefined } }],
    ['null as meta', { params: { _meta: null } }],
    ['an array as meta', { params: { _meta: [] } }],
    ['a progress token of another type', { meta: { progressToken: true } }],
    ['a fraction as progress token', { meta: { progressToken: 0.5 } }],
    ['another revision in meta', { meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }],
    ['this revision in meta alone', { meta: { 'io.modelcontextprotocol/protocolVersion': MODERN } }],
    ['capabilities of another type', { meta: { 'io.modelcontextprotocol/clientCapabilities': 1 } }],
    ['other capabilities', { meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } } }],
    ['no info of the client', { meta: { 'io.modelcontextprotocol/clientInfo': undefined } }],
    ['a related task of another type', { meta: { 'io.modelcontextprotocol/related-task': 1 } }],
    ['a state of the request', { params: { requestState: 'state' } }],
    ['a state of another type', { params: { requestState: 1 } }],
    ['answers of the person', { params: { inputResponses: { confirm: { action: 'accept' } } } }],
    ['a task', { params: { task: { ttl: 'long' } } }],
    ['no Accept', { headers: { accept: '*/*' } }],
    ['another Accept', { headers: { accept: 'application/json' } }],
    ['no revision', { headers: { 'mcp-protocol-version': null } }],
    ['an unknown revision', { headers: { 'mcp-protocol-version': '2099-01-01' } }],
    ['the other era', { headers: { 'mcp-protocol-version': era === 'modern' ? '2025-11-25' : MODERN } }],
    ['another method in the header', { headers: { 'mcp-method': 'tools/list' } }],
    ['another name in the header', { headers: { 'mcp-name': 'projects_list' } }],
    ['a session', { headers: { 'mcp-session-id': 'session' } }],
    ['the place of an event', { headers: { 'last-event-id': '1' } }],
  ])('%s is answered as the SDK answers at first', async (_what, call) => {
    const cold = await sendToSdk(era, call)
    expect(await send(era, call)).toEqual(cold)
    expect(await send(era, call)).toEqual(cold)
  })

  test('a call without arguments is answered as one with arguments', async () => {
    const { team_id, project_id } = team.project
    const call = { params: { arguments: undefined }, headers: { 'x-earshot-team': team_id, 'x-earshot-project': project_id } }
    const cold = await sendToSdk(era, call)
    const asked = countAsked()
    expect(await send(era, call)).toEqual(cold)
    expect(asked()).toBe(0)
    expect(cold.body).toContain('Second')
  })

  test.each<[string, string, () => object]>([
    ['a call that fails', 'submissions_retrieve', () => ({ ...team.project, submission_id: team.id })],
    ['a call with wrong arguments', 'submissions_retrieve', () => ({ ...team.project, submission_id: submissionId, no_such: 1 })],
    ['a call in another team', 'submissions_retrieve', () => ({ team_id: team.project.project_id, submission_id: submissionId })],
  ])('%s is answered by the SDK, also after one that succeeded', async (_what, name, args) => {
    const headers = era === 'modern' ? { 'mcp-name': name } : {}
    const call = (given: object) => ({ headers, params: { name, arguments: given } })
    const good = { ...team.project, submission_id: submissionId }
    const read = await send(era, call(good))
    expect(await send(era, call(good))).toEqual(read)
    const cold = await sendToSdk(era, call(args()))
    expect(cold.body).toContain('"isError":true')
    expect(await send(era, call(args()))).toEqual(cold)
  })

  test('a call that may ask the person first is never answered from another', async () => {
    const name = 'events_expunge'
    const headers = { 'x-mcp-toolsets': 'events', ...(era === 'modern' && { 'mcp-name': name }) }
    const [event] = await service.database.run<{ id: string }>('select id from events where team_id = $1 limit 1', [team.id])
    for (let number = 0; number < 2; number += 1) {
      const asked = countAsked()
      const answer = await send(era, { headers, params: { name, arguments: { team_id: team.id, event_id: event?.id } } })
      expect(answer.body).toMatch(/"structuredContent":\{"id"/)
      expect(asked()).toBe(1)
      vi.restoreAllMocks()
    }
  })

  test('a change is made once for each call', async () => {
    const name = 'testimonials_create'
    const headers = era === 'modern' ? { 'mcp-name': name } : {}
    for (let number = 0; number < 3; number += 1) {
      const args = { ...team.project, body: `${era} ${number}`, author: { name: 'Ada' } }
      expect((await send(era, { headers, params: { name, arguments: args } })).body).toContain(`${era} ${number}`)
      const rows = await service.database.run('select body from submissions where body = $1', [`${era} ${number}`])
      expect(rows).toHaveLength(1)
    }
  })

  test('a call whose cache key is too long is answered by the SDK', async () => {
    const headers = { 'mcp-test': 'x'.repeat(2_000) }
    const plain = await send(era, {})
    expect(await send(era, { headers })).toEqual(plain)
    const asked = countAsked()
    expect(await send(era, { headers })).toEqual(plain)
    expect(asked()).toBe(1)
  })

  test('beyond its limit the cache drops the oldest template', async () => {
    const plain = await send(era, {})
    for (let number = 0; number < 500; number += 1) {
      expect(await send(era, { args: { limit: 1 }, params: { number } })).toMatchObject({ status: 200 })
    }
    const asked = countAsked()
    expect(await send(era, {})).toEqual(plain)
    expect(await send(era, {})).toEqual(plain)
    expect(asked()).toBe(1)
  })
})
