import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { earshot } from '../cli/command-line.ts'
import { playService } from '../cli/fake-service.ts'
import { freePort } from '../support/free-port.ts'
import { eras, MODERN } from '../support/mcp.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { makeConfigFolder } from '../support/profiles.ts'
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
