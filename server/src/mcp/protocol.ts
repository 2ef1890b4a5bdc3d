import { type CallToolResult, createMcpHandler, INVALID_PARAMS, ProtocolError, Server } from '@modelcontextprotocol/server'
import type { CallOutcome, Exchange } from './exchange.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { howToSelect } from './selection.ts'
import type { ToolDefinition } from './tools.ts'

/** What an exchange does, as the protocol asks for it. */
export interface Answers {
  exchange: Exchange
  listTools: () => Promise<ToolDefinition[]>
  callTool: (args: Record<string, unknown>) => Promise<CallOutcome>
  /** The body of an error, as REST has it. Logs what is the fault of the service. */
  describeFailure: (failure: unknown) => object
}

/** The answer to one HTTP request. */
export interface Answer {
  status: number
  headers: Headers
  body: string
}

/** Lists stay as they are until the caller's access changes, which the next call notices. */
const CACHED = { ttlMs: 300_000, cacheScope: 'private' } as const

/**
 * Speaks the Model Context Protocol with the official SDK: the revision 2026-07-28, and without sessions those of 2025. Each request has a
 * server of its own, as both work without state.
 */
export function createProtocol({ version, onError }: { version: string; onError: (error: Error) => void }) {
  const known = new WeakMap<Request, Answers>()
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const answers = requestInfo && known.get(requestInfo)
      if (!answers) throw new Error('A request that was not authorized')
      return serverOf(answers, version)
    },
    { onerror: onError, keepAliveMs: 0 },
  )
  return {
    answer: async (request: Request, body: unknown, answers: Answers): Promise<Answer> => {
      known.set(request, answers)
      const response = await handler.fetch(request, { parsedBody: body })
      return { status: response.status, headers: response.headers, body: await response.text() }
    },
  }
}

function serverOf(answers: Answers, version: string): Server {
  const { exchange } = answers
  const server = new Server(
    { name: 'earshot', title: 'Earshot', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, cacheHints: { 'tools/list': CACHED, 'server/discover': CACHED } },
  )
  // The schemas were made by zod, so they are JSON Schemas; the SDK checks the whole list again.
  server.setRequestHandler('tools/list', async () => ({ tools: await answers.listTools() }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = exchange.tools.get(params.name)
    if (exchange.call === null)
      throw new ProtocolError(INVALID_PARAMS, tool ? howToSelect(tool) : `Unknown tool: ${params.name.slice(0, 100)}`)
    return resultOf(await answers.callTool(params.arguments ?? {}), answers)
  })
  return server
}

function resultOf(outcome: CallOutcome, { describeFailure }: Answers): CallToolResult {
  if ('failure' in outcome) return { isError: true, content: [textOf(JSON.stringify(describeFailure(outcome.failure)))] }
  const { output } = outcome
  if (output === undefined) return { content: [textOf('Done. There is nothing to return.')] }
  // Every output of a contract that is not empty is an object.
  return { content: [textOf(JSON.stringify(output))], structuredContent: output as Record<string, unknown> }
}

function textOf(text: string): { type: 'text'; text: string } {
  return { type: 'text', text }
}
