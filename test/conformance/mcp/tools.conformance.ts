import { isEverywhere, type NamedOperation } from '@earshot/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from '../../contract/operations.ts'
import { makeInput } from '../../contract/records.ts'
import { connect, message, post } from '../../support/mcp.ts'
import { makeTeam } from '../../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { startTestDispatcher, type TestDispatcher } from '../../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../../support/test-service.ts'
import { run } from '../command.ts'

const { INSPECTOR = '' } = process.env
const ERAS = ['modern', 'legacy'] as const
const tools = operations.filter(({ operation }) => isEverywhere(operation))
const names = tools.map(({ operationId }) => operationId).join(',')

let store: TestDatabase
let service: TestService
/** For what waits until something was sent. */
let worker: TestDispatcher
/** The schema of each tool's result, as listed. */
const schemas = new Map<string, z.ZodType>()
beforeAll(async () => {
  store = await openTestDatabase()
  service = { ...(await startTestService({ database: store.database })), database: store.database }
  worker = await startTestDispatcher({ address: store.address, secretBox: service.secretBox })
  const { token } = await makeTeam(service.database)
  const { body } = await post(service, message('tools/list'), { token, headers: { 'x-mcp-toolsets': 'all', 'x-mcp-tools': names } })
  for (const { name, outputSchema } of body.result.tools) if (outputSchema) schemas.set(name, z.fromJSONSchema(outputSchema))
})
afterAll(async () => {
  await worker.stop()
  await service.close()
  await store.close()
})

describe.concurrent('the Inspector', () => {
  // One of the eras for each tool, because each call starts a process.
  test.each(tools.map((named, index) => ({ named, era: ERAS[index % ERAS.length] ?? 'modern', name: named.operationId })))(
    'calls $name in the $era era, with a result that the listed schema accepts',
    async ({ named, era }) => {
      const team = await makeTeam(service.database)
      expectResult(named, await inspect(named, { era, token: team.token, input: await makeInput(service, team, named) }))
    },
  )
})

describe.concurrent('the client of the SDK', () => {
  // The other era.
  test.each(tools.map((named, index) => ({ named, era: ERAS[(index + 1) % ERAS.length] ?? 'modern', name: named.operationId })))(
    'calls $name in the $era era, with a result that the listed schema accepts',
    async ({ named, era }) => {
      const team = await makeTeam(service.database)
      const client = await connect(service, { token: team.token, era, headers: { 'x-mcp-tools': named.operationId } })
      // It checks each result against the schema that it was told.
      await client.listTools()
      expectResult(named, await client.callTool({ name: named.operationId, arguments: await makeInput(service, team, named) }))
      await client.close()
    },
  )
})

function expectResult({ operationId, operation }: NamedOperation, result: Result): void {
  expect(result.isError ?? false, JSON.stringify(result)).toBe(false)
  const schema = schemas.get(operationId)
  if (operation.status === 204) expect(schema).toBeUndefined()
  else expect(schema?.safeParse(result.structuredContent).success).toBe(true)
  expect(result.content).toMatchObject([{ type: 'text', text: expect.any(String) }])
}

interface Result {
  isError?: boolean | undefined
  structuredContent?: unknown
  content?: unknown
}

interface InspectedCall {
  era: string
  token: string
  input: Record<string, unknown>
}

async function inspect({ operationId }: NamedOperation, { era, token, input }: InspectedCall) {
  const pairs = Object.entries(input).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const words = ['--method', 'tools/call', '--tool-name', operationId, ...(pairs.length > 0 ? ['--tool-arg', ...pairs] : [])]
  const headers = ['--header', `Authorization: Bearer ${token}`, `X-MCP-Tools: ${operationId}`]
  const connection = ['--transport', 'http', '--protocol-era', era, ...headers]
  const { output } = await run(process.execPath, [INSPECTOR, '--cli', `${service.url}/mcp`, ...words, ...connection], { timeoutMs: 60_000 })
  return readJson(output)
}

function readJson(output: string): Result {
  try {
    return JSON.parse(output)
  } catch {
    return { isError: true, content: output }
  }
}
