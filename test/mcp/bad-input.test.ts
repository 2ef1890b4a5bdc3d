import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTool, connect, eras, MODERN, message, post } from '../support/mcp.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test.each(eras)('an unknown tool is -32602 in the %s era, and one that is not selected says how to get it', async (era) => {
  const client = await connect(service, { token: team.token, era })
  await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('no_such_tool'),
  })
  await expect(client.callTool({ name: 'tags_list', arguments: team.project })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('X-MCP-Toolsets: default,tags'),
  })
  await expect(client.callTool({ name: 'webhooks_create', arguments: {} })).rejects.toMatchObject({
    message: expect.stringContaining('X-MCP-Tools: webhooks_create'),
  })
  await client.close()
})

test.each([
  ['a batch', [message('tools/list')], 'not a batch'],
  ['an empty batch', [], 'not a batch'],
  ['no message', { hello: 1 }, 'JSON-RPC'],
  ['a text', '"hello"', 'JSON-RPC'],
])('%s is refused with 400', async (_what, body, detail) => {
  const answer = await post(service, body, { token: team.token })
  expect(answer).toMatchObject({
    status: 400,
    body: { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.stringContaining(detail) } },
  })
})

test('malformed JSON, another type and a body that is too large have the errors of REST', async () => {
  const send = (body: string, type = 'application/json') => post(service, body, { token: team.token, headers: { 'content-type': type } })
  expect(await send('{"jsonrpc": ')).toMatchObject({ status: 400, body: { error: { code: -32700, data: { code: 'malformed_json' } } } })
  expect(await send('{}', 'text/plain')).toMatchObject({ status: 415, body: { error: { data: { code: 'unsupported_media_type' } } } })
  const huge = JSON.stringify(message('tools/call', { name: 'testimonials_create', arguments: { body: 'x'.repeat(1_100_000) } }))
  expect(await send(huge)).toMatchObject({ status: 413, body: { error: { data: { code: 'body_too_large' } } } })
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(60)}1${'}'.repeat(60)}}`
  expect(await send(deep)).toMatchObject({ status: 400, body: { error: { data: { errors: [{ code: 'too_deep' }] } } } })
})

test.each([
  ['not an object', [1]],
  ['null', null],
])('arguments that are %s are invalid parameters', async (_what, args) => {
  const answer = await post(service, message('tools/call', { name: 'me_retrieve', arguments: args }), { token: team.token })
  expect(answer.body.error).toMatchObject({ code: -32602 })
  expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.ts:|at async/)
})

test('unknown fields, and names of prototypes, are refused as by REST', async () => {
  for (const field of ['no_such_field', 'constructor']) {
    const answer = await callTool(service, 'projects_list', { team_id: team.id, [field]: 1 }, { token: team.token })
    expect(answer.status === 400 || answer.body.result.isError).toBe(true)
  }
  const answer = await callTool(service, '__proto__', {}, { token: team.token })
  expect(answer.body.error).toMatchObject({ code: -32602 })
})

test('a page of another site is refused, our own is not', async () => {
  const headers = { origin: 'https://evil.example' }
  expect(await post(service, message('tools/list'), { token: team.token, headers })).toMatchObject({
    status: 403,
    body: { error: { data: { code: 'origin_not_allowed' } } },
  })
  expect(await post(service, message('tools/list'), { token: team.token, headers: { origin: 'null' } })).toMatchObject({ status: 403 })
  expect(await post(service, message('tools/list'), { token: team.token, headers: { origin: 'http://localhost:8000' } })).toMatchObject({
    status: 200,
  })
})

test('there are no sessions to read or to end, and nothing to subscribe to', async () => {
  for (const method of ['GET', 'DELETE']) {
    const answer = await service.send(method, '/mcp', { token: team.token })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
  }
  expect((await service.send('POST', '/mcp/nothing', { token: team.token, body: {} })).status).toBe(404)
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  }
  const listen = {
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: meta },
  }
  const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' }
  // Nothing can be subscribed to, so the stream ends at once.
  expect(
    await service.send('POST', '/mcp', { token: team.token, headers: { ...headers, accept: 'text/event-stream' }, body: listen }),
  ).toMatchObject({
    status: 200,
  })
})

test.each([
  [{ 'x-mcp-toolsets': 'nonsense' }, 'no toolset nonsense'],
  [{ 'x-mcp-tools': 'nonsense' }, 'no tool nonsense'],
  [{ 'x-earshot-team': 'acme' }, 'x-earshot-team must be a UUID'],
])('a selection that means nothing is refused: %o', async (headers, detail) => {
  const answer = await post(service, message('tools/list'), { token: team.token, headers })
  expect(answer).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(detail) } } })
})

test('a token in the address is refused', async () => {
  const answer = await post(service, message('tools/list'), { path: `/mcp?token=${team.token}` })
  expect(answer).toMatchObject({ status: 401, body: { error: { data: { code: 'invalid_token' } } } })
})
