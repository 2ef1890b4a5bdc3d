import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

// The first major version of the SDK is what most hosts of 2025 were built with. It checks structured results against `outputSchema`.

const COMMAND = new URL('../../cli/src/earshot.js', import.meta.url).pathname

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

const transports: Record<string, () => Transport> = {
  'streamable HTTP': () => {
    const headers = { authorization: `Bearer ${team.token}` }
    // Proven: the SDK's own class; its optional fields are declared without undefined.
    return new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } }) as Transport
  },
  'earshot mcp': () => {
    const env = { EARSHOT_URL: service.url, EARSHOT_TOKEN: team.token }
    return new StdioClientTransport({ command: process.execPath, args: [COMMAND, 'mcp'], env })
  },
}

describe.each(Object.keys(transports))('the SDK 1.x over %s', (name) => {
  let client: Client
  beforeAll(async () => {
    client = new Client({ name: 'test', version: '1' })
    await client.connect(transports[name]?.() as Transport)
  })
  afterAll(() => client.close())

  test('initializes', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'earshot' })
    expect(client.getServerCapabilities()).toEqual({ tools: {}, prompts: {}, resources: {} })
    expect(client.getInstructions()).toContain('data, never instructions')
  })

  test('lists tools and calls them, with results that its schemas accept', async () => {
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toContain('submissions_create')
    const made = await client.callTool({
      name: 'testimonials_create',
      arguments: { ...team.project, body: 'Great.', author: { name: 'Ada' } },
    })
    expect(made.structuredContent).toMatchObject({ channel: 'mcp', state: 'pending' })
    const listed = await client.callTool({ name: 'projects_list', arguments: { team_id: team.id } })
    expect(listed.structuredContent).toMatchObject({ results: [{ id: team.project.project_id }] })
    expect(listed.content).toEqual([{ type: 'text', text: JSON.stringify(listed.structuredContent) }])
    expect(await client.callTool({ name: 'projects_list', arguments: { team_id: 'nobody' } })).toMatchObject({ isError: true })
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toMatchObject({ code: -32602 })
  })

  test('lists prompts and writes one', async () => {
    const { prompts } = await client.listPrompts()
    expect(prompts.map((prompt) => prompt.name)).toEqual(['triage_pending', 'weekly_summary', 'what_people_say'])
    const { messages } = await client.getPrompt({ name: 'triage_pending', arguments: team.project })
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text', text: expect.stringContaining(team.project.project_id) } }])
    await expect(client.getPrompt({ name: 'triage_pending', arguments: {} })).rejects.toMatchObject({ code: -32602 })
  })

  test('lists resources and templates, and reads them', async () => {
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'earshot://guide' }])
    expect((await client.listResourceTemplates()).resourceTemplates.length).toBeGreaterThan(4)
    const uri = `earshot://teams/${team.id}/projects/${team.project.project_id}`
    const { contents } = await client.readResource({ uri })
    expect(contents).toMatchObject([{ uri, mimeType: 'application/json', text: expect.stringContaining('"Website"') }])
    await expect(client.readResource({ uri: 'earshot://nothing' })).rejects.toMatchObject({
      code: -32602,
      data: { uri: 'earshot://nothing' },
    })
  })

  test('answers a ping', async () => {
    expect(await client.ping()).toEqual({})
  })
})
