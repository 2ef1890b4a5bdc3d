import { ApiError } from '@earshot/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KnownAccessRow } from '../auth/credential.ts'
import { type ReplyHeaders, replyHeadersOf } from '../auth/reply-headers.ts'
import { type RequestFacts, requestFactsOf } from '../auth/request-facts.ts'
import { toApiError } from '../http/failure.ts'
import { readIdempotencyKey } from '../http/idempotency.ts'
import { singleHeader } from '../http/rest.ts'
import { mustStepUp } from './challenge.ts'
import { type Arguments, type Exchange, pathOf } from './exchange.ts'
import type { Message } from './failure.ts'
import { readingOf } from './resources.ts'
import type { Selection } from './selection.ts'
import type { Tool } from './tools.ts'

/** Authenticates and counts a request whose operation is not known, or that has none. */
export type McpAuthenticate = (requestFacts: RequestFacts, replyHeaders: ReplyHeaders) => Promise<KnownAccessRow>

type Path = RequestFacts['path']

interface Judged {
  request: FastifyRequest
  reply: FastifyReply
  tools: ReadonlyMap<string, Tool>
  selection: Selection
}

/**
 * Requires that a request comes from one of our own pages or from no page: a page of another site must not reach a server on the network
 * of its reader (MCP 2026-07-28, transports, security warning). Throws `origin_not_allowed`.
 */
export function refuseForeignOrigin({ headers: { origin } }: FastifyRequest, ownOrigin: string): void {
  if (origin !== undefined && origin !== ownOrigin) throw new ApiError('origin_not_allowed')
}

/** Authorizes and counts each request once, whatever it is and however it fails. */
export function createCallers(ownOrigin: string, authenticate: McpAuthenticate) {
  const counted = new WeakMap<FastifyRequest, Promise<KnownAccessRow> | null>()

  const factsOf = (request: FastifyRequest, path: Path): RequestFacts => ({
    ...requestFactsOf(request, ownOrigin),
    // The session of a browser is no credential here: the protocol takes bearer tokens alone.
    cookies: undefined,
    client: 'mcp',
    path,
  })

  async function count(request: FastifyRequest, reply: FastifyReply, path: Path): Promise<KnownAccessRow> {
    const known = counted.get(request) ?? authenticate(factsOf(request, path), replyHeadersOf(reply))
    counted.set(request, known)
    return known
  }

  /** A 401 and a scope that OAuth could grant are HTTP's, so that clients ask the person; whatever else is refused, a model must read. */
  async function judgeCall(tool: Tool, args: Arguments, { request, reply, selection }: Judged): Promise<Exchange['call']> {
    const isCounted = counted.has(request)
    const facts = factsOf(request, pathOf(tool, args, selection))
    try {
      counted.set(request, counted.get(request) ?? null)
      return { tool, args, authorized: await tool.pipeline.authorize(facts, replyHeadersOf(reply), { isCounted }) }
    } catch (failure) {
      const { status, retryAfterSeconds } = toApiError(failure)
      if (status === 401 || mustStepUp(failure, request)) throw failure
      if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
      return { failure }
    }
  }

  return {
    count,
    judge: async (message: Message, judged: Judged): Promise<Exchange> => {
      const { request, reply, tools, selection } = judged
      const called = calledTool(message, judged)
      const call = called && (await judgeCall(called.tool, called.args, judged))
      const access = call ? null : await count(request, reply, selection.fixed)
      if (access && selection.fixed.team_id !== undefined && access.team_id === null) throw new ApiError('not_found')
      return { tools, selection, call, access, idempotencyKey: readIdempotencyKey(singleHeader(request, 'idempotency-key')) }
    },
    /** Returns the error to send for a request that failed before it was counted. */
    failureOf: async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      if (counted.has(request) || toApiError(error).code === 'origin_not_allowed') return error
      return count(request, reply, {}).then(
        () => error,
        (refusal: unknown) => refusal,
      )
    },
  }
}

/** Returns the tool that a message calls, if the connection has it, or that reads the resource that it names; with its arguments. */
function calledTool(message: Message, { tools, selection }: Judged): { tool: Tool; args: Arguments } | null {
  const { name, uri, arguments: args = {} } = (message.params ?? {}) as { name?: unknown; uri?: unknown; arguments?: unknown }
  if (message.method === 'resources/read') {
    const reading = readingOf(uri)
    const reader = reading && tools.get(reading.tool)
    return reader ? { tool: reader, args: reading.args } : null
  }
  if (message.method !== 'tools/call') return null
  const tool = typeof name === 'string' ? tools.get(name) : undefined
  if (!tool || !selection.includes(tool)) return null
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? { tool, args: args as Arguments } : null
}
