import { ApiError, type Operation, takesKey } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { replyHeadersOf } from '../auth/reply-headers.ts'
import { requestFactsOf } from '../auth/request-facts.ts'
import { etagOf, hasETag, matchesETag } from './etag.ts'
import { sendFailure } from './failure.ts'
import { readIdempotencyKey } from './idempotency.ts'
import { linkTime } from './link-time.ts'
import { type AuthorizedRequest, failureOf, type Pipeline } from './pipeline.ts'
import { compileQuery } from './query.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent until the request is authorized. */
    authorized?: AuthorizedRequest
  }
}

/** Registers an operation as a Fastify route: authorizes before the body is read, then collects the input, performs and sends. */
export function registerRest(
  app: FastifyInstance,
  pipeline: Pipeline,
  { baseUrl, version, resourcePath }: { baseUrl: string; version: string; resourcePath: string | null },
): void {
  const { operation } = pipeline.named
  const { method, path, status, input, queryFields, bodyBytes } = operation
  const ownOrigin = new URL(baseUrl).origin
  const readQuery = compileQuery(input, queryFields)
  const cacheControl = operation.access === 'public' && method === 'GET' ? 'no-cache' : 'private, no-store'
  const hasKey = takesKey(operation)
  const isTagged = hasETag(operation)
  const locationOf = resourcePath === null ? null : compileLocation(resourcePath)

  app.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(bodyBytes !== undefined && { bodyLimit: bodyBytes }),
    onRequest: async (request, reply) => {
      request.authorized = await pipeline.authorize(requestFactsOf(request, ownOrigin), replyHeadersOf(reply))
    },
    handler: async (request, reply) => {
      const etag = knownTag(request.authorized, version)
      reply.header('cache-control', cacheControl)
      if (etag !== null && matchesETag(request.headers['if-none-match'], etag)) return reply.header('etag', etag).code(304).send()
      const raw = collectInput(request, readQuery, operation)
      const key = hasKey ? readIdempotencyKey(singleHeader(request, 'idempotency-key')) : null
      // The hook above has run.
      const result = await pipeline.perform(request.authorized as AuthorizedRequest, raw, key)
      if (result.replayed) reply.header('idempotency-replayed', 'true')
      if ('refusal' in result) throw result.refusal
      const { output } = result
      reply.code(status)
      if (status === 204) return reply.send()
      if (status === 201 && locationOf) reply.header('location', locationOf(raw, output))
      const body = JSON.stringify(output)
      return sendJson(request, reply, { body, etag: etag ?? (isTagged ? etagOf(body) : null) })
    },
    errorHandler: async (error, request, reply) => sendFailure(await failureOf(request.authorized, error), request, reply),
  })
}

/** Collects path, header, query and body fields. A field in the wrong part of the request is an unknown field. */
export function collectInput(
  request: FastifyRequest,
  readQuery: (query: Record<string, unknown>) => Record<string, unknown>,
  { bodyFields, headerFields }: Pick<Operation, 'bodyFields' | 'headerFields'>,
): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...readQuery(request.query as Record<string, unknown>), ...bodyOf(request) }
  const add = (name: string, value: string) => {
    if (Object.hasOwn(fields, name)) throw unknownField(name)
    fields[name] = value
  }
  for (const [name, value] of Object.entries(request.params as Record<string, string>)) add(name, value)
  for (const [name, header] of headerFields) {
    const value = singleHeader(request, header.toLowerCase())
    if (value !== undefined) add(name, value)
    else if (Object.hasOwn(fields, name)) throw unknownField(name)
  }
  for (const name of Object.keys(request.query as object)) if (bodyFields.has(name)) throw unknownField(name)
  return fields
}

function bodyOf(request: FastifyRequest): object {
  const { body } = request
  if (body === undefined) return {}
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new ApiError('validation_error', { errors: [{ field: '', code: 'invalid_type', detail: 'the body must be a JSON object' }] })
}

function unknownField(field: string): ApiError {
  return new ApiError('validation_error', {
    errors: [{ field, code: 'unknown_field', detail: 'is not allowed in this part of the request' }],
  })
}

function sendJson(request: FastifyRequest, reply: FastifyReply, { body, etag }: { body: string; etag: string | null }): FastifyReply {
  if (etag !== null) {
    reply.header('etag', etag)
    if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  }
  return reply.type('application/json; charset=utf-8').send(body)
}

/**
 * Returns the entity tag of what is known to be unchanged before it is rendered: by its version, by that of the service, and by the
 * time until which its links are signed.
 */
function knownTag(authorized: AuthorizedRequest | undefined, serviceVersion: string): string | null {
  const caller = authorized?.caller
  const version = caller && 'project' in caller && caller.project && 'version' in caller.project ? caller.project.version : null
  return version ? etagOf(`${serviceVersion} ${version} ${linkTime(Date.now())}`) : null
}

/** Returns what fills a path with the request's fields and the new id. A field of that name in the request is another record's. */
function compileLocation(resourcePath: string): (params: Record<string, unknown>, output: unknown) => string {
  // Every second part is a field's name.
  const parts = resourcePath.split(/\{(\w+)\}/)
  const name = parts.at(-2) ?? ''
  const record = name.replace('_id', '')
  return (params, output) => {
    // A reservation is a video beside the address for its file.
    const created = output as { id: string } & Record<string, { id: string } | undefined>
    const { id } = created[record] ?? created
    const textOf = (field: string) => encodeURIComponent(String(field === name ? id : params[field]))
    return parts.map((part, index) => (index % 2 === 0 ? part : textOf(part))).join('')
  }
}

/** Returns the first value of a header. */
export function singleHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}
