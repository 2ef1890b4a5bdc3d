import {
  type CallToolResult,
  createMcpHandler,
  INVALID_PARAMS,
  ProtocolError,
  type ReadResourceResult,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server'
import { askFirst } from './confirmation.ts'
import type { CallOutcome, Exchange } from './exchange.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { listPrompts, writePrompt } from './prompts.ts'
import { listResources, listTemplates, staticResource } from './resources.ts'
import { howToSelect } from './selection.ts'
import { type Answer, cacheKeyOf, createTemplates, fillTemplate, type McpRequest, placeForOutput, withOutput } from './templates.ts'
import type { ToolDefinition } from './tools.ts'

/** What an exchange does, as the protocol asks for it. */
export interface Answers {
  exchange: Exchange
  listTools: () => Promise<ToolDefinition[]>
  /** Performs the call, or the read of a resource. */
  perform: () => Promise<CallOutcome>
  /** The body of an error, as REST has it. Logs what is the fault of the service. */
  describeFailure: (failure: unknown) => { code: string; detail: string }
  /** The output of the call as JSON, once there is one. */
  output?: string
}

/** Lists stay as they are until the caller's access changes, which the next call notices. */
const CACHED = { ttlMs: 300_000, cacheScope: 'private' } as const
const CACHED_LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'server/discover'] as const
/** What is the same for the server of every request. */
const OPTIONS = {
  capabilities: { tools: {}, prompts: {}, resources: {} },
  instructions: INSTRUCTIONS,
  cacheHints: Object.fromEntries(CACHED_LISTS.map((method) => [method, CACHED])),
}

/**
 * Speaks the Model Context Protocol with the official SDK: the revision 2026-07-28, and without sessions those of 2025. Each request has a
 * server of its own, as both work without state. A call is answered without one, once the SDK answered another that differs in id and arguments alone.
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
  const templates = createTemplates()
  const askSdk = async (mcpRequest: McpRequest, answers: Answers, cacheKey: string | null): Promise<Answer> => {
    const request = new Request(mcpRequest.url, { method: 'POST', headers: mcpRequest.headers })
    known.set(request, answers)
    const response = await handler.fetch(request, { parsedBody: mcpRequest.message })
    const text = await response.text()
    const { status, headers } = response
    if (answers.output === undefined) return { status, headers, body: Buffer.from(text) }
    templates.keep(cacheKey, response, { text, id: mcpRequest.message.id })
    return { status, headers, body: Buffer.from(withOutput(text, answers.output)) }
  }
  return {
    answer: async (request: McpRequest, answers: Answers): Promise<Answer> => {
      const cacheKey = cacheKeyOf(request, answers.exchange)
      const template = templates.find(cacheKey)
      if (!template) return askSdk(request, answers, cacheKey)
      const outcome = await answers.perform()
      if ('output' in outcome && outcome.output !== undefined) {
        return fillTemplate(template, request.message.id, JSON.stringify(outcome.output))
      }
      return askSdk(request, { ...answers, perform: () => Promise.resolve(outcome) }, null)
    },
  }
}

function serverOf(answers: Answers, version: string): Server {
  const server = new Server({ name: 'earshot', title: 'Earshot', version }, OPTIONS)
  serveTools(server, answers)
  servePrompts(server, answers)
  serveResources(server, answers)
  return server
}

function serveTools(server: Server, answers: Answers): void {
  const { tools, call } = answers.exchange
  server.setRequestHandler('tools/list', async () => ({ tools: await answers.listTools() }))
  server.setRequestHandler('tools/call', async ({ params: { name } }, { mcpReq }) => {
    const tool = tools.get(name)
    if (call === null) throw new ProtocolError(INVALID_PARAMS, tool ? howToSelect(tool) : `Unknown tool: ${name.slice(0, 100)}`)
    const asked = 'failure' in call ? null : askFirst(call, mcpReq.inputResponses, server.getClientCapabilities())
    return asked ?? resultOf(await answers.perform(), answers)
  })
}

function servePrompts(server: Server, { exchange: { selection } }: Answers): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts(selection) }))
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = writePrompt(params.name, params.arguments ?? {}, selection)
    if ('wrong' in prompt) throw new ProtocolError(INVALID_PARAMS, prompt.wrong)
    return { description: prompt.description, messages: [{ role: 'user', content: textOf(prompt.text) }] }
  })
}

function serveResources(server: Server, answers: Answers): void {
  const { selection, call } = answers.exchange
  server.setRequestHandler('resources/list', () => ({ resources: listResources(selection) }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listTemplates() }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }): Promise<ReadResourceResult> => {
    const text = staticResource(uri)
    if (text !== null) return { contents: [{ uri, mimeType: 'text/plain', text }] }
    if (call === null) throw new ResourceNotFoundError(uri.slice(0, 500))
    const outcome = await answers.perform()
    if ('output' in outcome) return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(outcome.output) }] }
    const body = answers.describeFailure(outcome.failure)
    if (body.code === 'not_found') throw new ResourceNotFoundError(uri)
    throw new ProtocolError(INVALID_PARAMS, body.detail, body)
  })
}

function resultOf(outcome: CallOutcome, answers: Answers): CallToolResult {
  const { describeFailure } = answers
  if ('failure' in outcome) return { isError: true, content: [textOf(JSON.stringify(describeFailure(outcome.failure)))] }
  const { output } = outcome
  if (output === undefined) return { content: [textOf('Done. There is nothing to return.')] }
  // Every output of a contract that is not empty is an object.
  answers.output = JSON.stringify(output)
  return placeForOutput()
}

function textOf(text: string): { type: 'text'; text: string } {
  return { type: 'text', text }
}
