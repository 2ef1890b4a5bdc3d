import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { earshot } from '../cli/command-line.ts'
import { playService, refusal } from '../cli/fake-service.ts'
import { freePort } from '../support/free-port.ts'
import { eras, MODERN } from '../support/mcp.ts'
import { startOAuthFixture } from '../support/oauth.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { deviceProfile, makeConfigFolder } from '../support/profiles.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const COMMAND = new URL('../../cli/src/earshot.js', import.meta.url).pathname
const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}\n'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

/** Starts `earshot mcp` with the official client, as an agent does. */
async function start(era: (typeof eras)[number], flags: string[] = []): Promise<Client> {
  const mode = era === 'modern' ? { pin: MODERN } : 'legacy'
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const env = { EARSHOT_URL: service.url, EARSHOT_TOKEN: team.token }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [COMMAND, 'mcp', ...flags], env }))
  return client
}

describe.each(eras)('earshot mcp for a client of the %s era', (era) => {
  test('lists tools, calls them, also at once, and passes on refusals', async () => {
    const client = await start(era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('submissions_list')
    const calls = Array.from({ length: 10 }, () => client.callTool({ name: 'projects_list', arguments: { team_id: team.id } }))
    for (const result of await Promise.all(calls))
      expect(result.structuredContent).toMatchObject({ results: [{ id: team.project.project_id, name: 'Website' }] })
    const refused = await client.callTool({ name: 'projects_list', arguments: { team_id: 'nobody' } })
    expect(refused.isError).toBe(true)
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow('no_such_tool')
    await client.close()
  })

  test('chooses tools and place by its flags', async () => {
    const client = await start(era, ['--toolsets', 'webhooks', '--read-only', '--team', team.id])
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('webhooks_list')
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
    expect(tools.find(({ name }) => name === 'webhooks_list')?.inputSchema.properties).not.toHaveProperty('team_id')
    await client.close()
  })
})

test('a line that is no JSON, and a service that refuses, are errors of JSON-RPC', async () => {
  const { exitCode, out } = await earshot(['mcp'], { url: service.url, env: { EARSHOT_TOKEN: 'svc_wrong' }, stdin: `not json\n\n${PING}` })
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(exitCode).toBe(0)
  expect(answers).toHaveLength(2)
  expect(answers[0]).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'The line is not JSON.' } })
  expect(answers[1]).toMatchObject({ id: 7, error: { data: { code: 'invalid_token' } } })
})

test('a service that is away is an error of JSON-RPC; without a token nothing starts', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const { out } = await earshot(['mcp'], { url, stdin: PING })
  expect(JSON.parse(out)).toMatchObject({ id: 7, error: { code: -32000, message: expect.stringContaining(`${url}/mcp is not reachable`) } })
  expect(await earshot(['mcp'], { url, env: { EARSHOT_TOKEN: '' }, stdin: PING })).toMatchObject({ exitCode: 3, out: '' })
})

test('a sign-in that has ended is an error of JSON-RPC that says what to do', async () => {
  await using ended = await playService({ status: 400, json: { error: 'invalid_grant' } })
  using config = makeConfigFolder()
  const credential = { access_token: 'a', refresh_token: 'r', expires_at: '2020-01-01T00:00:00Z' }
  config.write('home', { url: ended.url, email: 'ada@example.com', credential })
  const { out } = await earshot(['mcp'], { env: config.env, stdin: PING })
  const message = `you are not signed in at ${ended.url} any more. Sign in again: earshot login ${ended.url}`
  expect(JSON.parse(out)).toMatchObject({ id: 7, error: { code: -32000, message } })
})

test.for([
  [
    'a page of another server',
    { status: 502, text: '<html>\n<p>Bad gateway', headers: { 'content-type': 'text/html' } },
    'responded with 502 and text/html, not',
  ],
  ['the error of REST', { ...refusal(404, 'not_found'), headers: { 'earshot-version': '0.0.1' } }, 'npm install -g @earshot/cli@0.0.1'],
  ['nothing', { status: 502 }, 'responded with 502 and no content, not with MCP'],
  [
    'an error without the id',
    { status: 413, json: { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Too large.' } } },
    'Too large.',
  ],
] as const)('when the service answers %s, the client gets an error with its id', async ([_what, answer, words]) => {
  await using other = await playService(answer)
  const { out, exitCode } = await earshot(['mcp'], { url: other.url, stdin: PING })
  expect([exitCode, JSON.parse(out)]).toMatchObject([
    0,
    { jsonrpc: '2.0', id: 7, error: { code: -32000, message: expect.stringContaining(words) } },
  ])
})

test('a notification and an answer to the service get no error', async () => {
  await using other = await playService({ status: 202 })
  const stdin = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":1,"result":{}}\n'
  expect(await earshot(['mcp'], { url: other.url, stdin })).toEqual({ exitCode: 0, out: '', err: '' })
  expect(other.requests).toHaveLength(2)
})

test('its flags are the headers that choose the tools and the place', async () => {
  await using other = await playService({ json: { jsonrpc: '2.0', id: 7, result: {} } })
  const flags = {
    '--toolsets': 'all',
    '--tools': 'webhooks_create',
    '--exclude-tools': 'submissions_delete',
    '--team': 't',
    '--project': 'p',
  }
  await earshot(['mcp', '--read-only', ...Object.entries(flags).flat()], { url: other.url, stdin: PING })
  expect(other.requests[0]?.headers).toMatchObject({
    ...{ 'x-mcp-toolsets': 'all', 'x-mcp-tools': 'webhooks_create', 'x-mcp-exclude-tools': 'submissions_delete', 'x-mcp-readonly': 'true' },
    ...{ 'x-earshot-team': 't', 'x-earshot-project': 'p' },
  })
})

test('it acts as the profile, and renews its tokens', async () => {
  const fixture = await startOAuthFixture()
  using config = makeConfigFolder()
  const profile = await deviceProfile(fixture)
  config.write('home', { ...profile, credential: { ...profile.credential, expires_at: '2020-01-01T00:00:00Z' } })
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'teams_list', arguments: {} } }
  const { out } = await earshot(['mcp'], { env: config.env, stdin: `${JSON.stringify(call)}\n` })
  await fixture.service.close()
  expect(JSON.parse(out)).toMatchObject({ id: 7, result: { structuredContent: { results: [{ id: fixture.team.id }] } } })
  expect(config.read('home').credential.refresh_token).not.toBe(profile.credential.refresh_token)
})
