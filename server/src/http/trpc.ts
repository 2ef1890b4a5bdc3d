import { ApiError, takesKey } from '@earshot/contracts'
import { initTRPC } from '@trpc/server'
import { type CreateFastifyContextOptions, fastifyRequestHandler } from '@trpc/server/adapters/fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ReplyHeaders, replyHeadersOf } from '../auth/reply-headers.ts'
import { hasLargeBody, type RequestFacts, requestFactsOf } from '../auth/request-facts.ts'
import { readIdempotencyKey } from './idempotency.ts'
import { requireCarriable } from './input.ts'
import type { Pipeline } from './pipeline.ts'
import { sendTRPCFailure, toTRPCError, trpcErrorBody } from './trpc-failure.ts'

const MAX_BATCH = 20

interface Context {
  request: FastifyRequest
  reply: FastifyReply
  isBatch: boolean
  /** Whether the request was counted before its body was read. Its first call is then not counted again. */
  isCounted: boolean
  /** Authenticates and counts a request that has no call to do it, once. */
  count: () => Promise<void>
}

/** What authenticates and counts a request without knowing its calls. */
type Authenticate = (requestFacts: RequestFacts, replyHeaders: ReplyHeaders) => Promise<unknown>

const trpc = initTRPC.context<Context>().create({
  isDev: false,
  errorFormatter: ({ shape, error, ctx }) => ({
    message: shape.message,
    code: shape.code,
    data: trpcErrorBody(error, ctx?.request.id ?? ''),
  }),
})

/**
 * Serves every operation with a credential at /trpc, batched or not, through the same pipelines as REST. It registers its
 * own route because tRPC's Fastify plugin replaces the body parsers: bodies pass the same strict reader as REST's, and forms
 * are refused. What a call may do depends on its input, so each is authorized when the body was read. A large body is read only
 * for a request that was authenticated and counted; a small one that holds no call is counted all the same.
 */
export async function registerTrpc(
  app: FastifyInstance,
  pipelines: readonly Pipeline[],
  { baseUrl, authenticate }: { baseUrl: string; authenticate: Authenticate },
): Promise<void> {
  const ownOrigin = new URL(baseUrl).origin
  const router = trpc.router(procedureTree(pipelines, ownOrigin))
  const counted = new WeakSet<FastifyRequest>()
  const count = async (request: FastifyRequest, reply: FastifyReply) => {
    if (counted.has(request)) return
    counted.add(request)
    await authenticate({ ...requestFactsOf(request, ownOrigin), path: {} }, replyHeadersOf(reply))
  }
  const createContext = ({ req, res, info }: CreateFastifyContextOptions): Context => ({
    request: req,
    reply: res,
    isBatch: info.isBatchCall,
    isCounted: counted.has(req),
    count: () => count(req, res),
  })
  await app.register((scope, _options, done) => {
    scope.setErrorHandler(async (error, request, reply) => {
      const failure = await count(request, reply).then(
        () => error,
        (refusal: unknown) => refusal,
      )
      return sendTRPCFailure(failure, request, reply)
    })
    const serve = (url: string, options: { bodyLimit?: number }) =>
      scope.route({
        ...options,
        method: ['GET', 'POST'],
        url: `/trpc/${url}`,
        exposeHeadRoute: false,
        onRequest: async (request, reply) => {
          if (hasLargeBody(request.headers)) await count(request, reply)
        },
        handler: async (request, reply) => {
          const { path = url } = request.params as { path?: string } // The route's own parameter.
          // The adapter expects the body as text.
          if (request.body !== undefined) request.body = JSON.stringify(request.body)
          await fastifyRequestHandler({ router, maxBatchSize: MAX_BATCH, createContext, req: request, res: reply, path })
        },
      })
    serve(':path', {})
    for (const { name, operation } of pipelines.map(({ named }) => named)) {
      if (operation.bodyBytes !== undefined) serve(name, { bodyLimit: operation.bodyBytes })
    }
    done()
  })
}

interface ProcedureTree {
  [name: string]: ReturnType<typeof procedureOf> | ProcedureTree
}

function procedureTree(pipelines: readonly Pipeline[], ownOrigin: string): ProcedureTree {
  const root: ProcedureTree = {}
  for (const pipeline of pipelines) {
    const names = pipeline.named.name.split('.')
    const last = names.pop() ?? ''
    const parent = names.reduce((tree, name) => {
      tree[name] ??= {}
      return tree[name] as ProcedureTree
    }, root)
    parent[last] = procedureOf(pipeline, ownOrigin)
  }
  return root
}

function procedureOf(pipeline: Pipeline, ownOrigin: string) {
  // The input is validated after the request is authorized; a parser here would run before.
  const procedure = trpc.procedure.input((raw: unknown) => (raw === undefined ? {} : raw))
  const resolve = async ({ ctx, input }: { ctx: Context; input: unknown }) => {
    try {
      return await call(pipeline, ctx, { input, ownOrigin })
    } catch (error) {
      throw toTRPCError(error)
    }
  }
  return pipeline.named.operation.method === 'GET' ? procedure.query(resolve) : procedure.mutation(resolve)
}

async function call(pipeline: Pipeline, ctx: Context, { input, ownOrigin }: { input: unknown; ownOrigin: string }): Promise<unknown> {
  const { request, reply, isBatch, isCounted } = ctx
  ctx.isCounted = false
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    await ctx.count()
    throw wrongInput()
  }
  const fields = input as Record<string, unknown>
  const path: Record<string, string | undefined> = {}
  for (const name of pipeline.named.operation.pathFields) if (typeof fields[name] === 'string') path[name] = fields[name]
  const authorized = await pipeline.authorize({ ...requestFactsOf(request, ownOrigin), path }, replyHeadersOf(reply), { isCounted })
  requireCarriable(withoutCursor(pipeline, fields))
  const header = request.headers['idempotency-key']
  const key = isBatch || !takesKey(pipeline.named.operation) || Array.isArray(header) ? null : readIdempotencyKey(header)
  const result = await pipeline.perform(authorized, fields, key)
  if (result.replayed) reply.header('idempotency-replayed', 'true')
  if ('refusal' in result) throw result.refusal
  return result.output
}

/** A cursor is decoded before it reaches the database, so every invalid one is `invalid_cursor`, not `validation_error`. */
function withoutCursor({ named }: Pipeline, fields: Record<string, unknown>): Record<string, unknown> {
  const { cursor, ...others } = fields
  return named.operation.queryFields.has('cursor') && typeof cursor === 'string' ? others : fields
}

function wrongInput(): ApiError {
  return new ApiError('validation_error', { errors: [{ field: '', code: 'invalid_type', detail: 'the input must be an object' }] })
}
