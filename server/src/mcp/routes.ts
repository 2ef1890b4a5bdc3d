import type { Database } from '@earshot/db'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasLargeBody } from '../auth/request-facts.ts'
import { once } from '../http/once.ts'
import type { Pipeline } from '../http/pipeline.ts'
import { MCP_PATH } from '../oauth/paths.ts'
import { createCallers, type McpAuthenticate, refuseForeignOrigin } from './callers.ts'
import { challengeOf } from './challenge.ts'
import { type Exchange, listTools, performCall } from './exchange.ts'
import { describeFailure, readMessage, sendMcpFailure } from './failure.ts'
import type { Answers } from './protocol.ts'
import { readSelection } from './selection.ts'
import type { Answer, McpRequest } from './templates.ts'
import { compileTools } from './tools.ts'

const PATHS = ['', '/read-only', '/x/:toolsets', '/x/:toolsets/read-only'].map((path) => MCP_PATH + path)
/** Headers that the SDK reads, besides those of the protocol. */
const READ_HEADERS = new Set(['accept', 'content-type', 'last-event-id'])

export interface McpOptions {
  baseUrl: string
  version: string
  database: Database
  authenticate: McpAuthenticate
}

/**
 * Serves every operation with a credential as a tool of the Model Context Protocol, through the same pipelines as REST. A request is one
 * message, authorized and counted once: a call with its operation, any other with its credential alone. As for tRPC, a large body is read
 * only for a request that was counted before.
 */
export function registerMcp(app: FastifyInstance, pipelines: readonly Pipeline[], options: McpOptions): void {
  const ownOrigin = new URL(options.baseUrl).origin
  const callers = createCallers(ownOrigin, options.authenticate)
  const toolsOf = once(() => compileTools(pipelines))
  // The SDK is loaded when the first request comes: most services never need it.
  const protocolOf = once(async () => {
    const { createProtocol } = await import('./protocol.ts')
    return createProtocol({ version: options.version, onError: (err) => app.log.debug({ err }, 'mcp request refused') })
  })

  for (const url of PATHS) {
    app.route({
      method: 'POST',
      url,
      onRequest: async (request, reply) => {
        refuseForeignOrigin(request, ownOrigin)
        if (hasLargeBody(request.headers)) await callers.count(request, reply, {})
      },
      handler: async (request, reply) => {
        const message = readMessage(request.body)
        const tools = toolsOf()
        const selection = readSelection(request, tools)
        const exchange = await callers.judge(message, { request, reply, tools, selection })
        const protocol = await protocolOf()
        const mcpRequest = { url: ownOrigin + request.url, headers: readHeaders(request), message }
        return send(reply, await protocol.answer(mcpRequest, answersOf(exchange, request, options)))
      },
      errorHandler: async (error, request, reply) => {
        const failure = await callers.failureOf(error, request, reply)
        const challenge = challengeOf(failure, request, { baseUrl: options.baseUrl, tools: toolsOf() })
        if (challenge !== null) reply.header('www-authenticate', challenge)
        return sendMcpFailure(failure, request, reply)
      },
    })
  }
}

function answersOf(exchange: Exchange, request: FastifyRequest, { database }: McpOptions): Answers {
  return {
    exchange,
    listTools: () => listTools(exchange, database),
    perform: () => performCall(exchange),
    describeFailure: (failure) => describeFailure(failure, request),
  }
}

function readHeaders({ headers }: FastifyRequest): McpRequest['headers'] {
  const read: McpRequest['headers'] = []
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && (READ_HEADERS.has(name) || name.startsWith('mcp-'))) read.push([name, value])
  }
  return read
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  reply.code(status).header('cache-control', 'no-store')
  for (const [name, value] of headers) if (name !== 'content-length') reply.header(name, value)
  return reply.send(body.length === 0 ? undefined : body)
}
