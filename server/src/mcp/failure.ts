import { ApiError, type ErrorBody } from '@earshot/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendFailure, toApiError } from '../http/failure.ts'

/** A JSON-RPC message, not yet validated. */
export interface Message {
  id?: unknown
  method?: unknown
  params?: unknown
}

/** JSON-RPC 2.0 §5.1; -32000 is the server's own. */
const codes: Partial<Record<ErrorBody['code'], number>> = { malformed_json: -32700, validation_error: -32600, internal_error: -32603 }
const SERVER_ERROR = -32000

/** Sends the error of a request that never became a message: REST's error, as data of a JSON-RPC one. */
export function sendMcpFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendFailure(error, request, reply, (data) => ({
    jsonrpc: '2.0',
    id: idOf(request.body),
    error: { code: codes[data.code] ?? SERVER_ERROR, message: data.detail, data },
  }))
}

/** Returns the body of a failed call: REST's, with what its headers say. Logs as REST does. */
export function describeFailure(thrown: unknown, request: FastifyRequest): ErrorBody & { status: number } {
  const failure = toApiError(thrown)
  if (failure.status === 500) request.log.error({ err: thrown }, 'call failed')
  else if (failure.status === 503) request.log.warn({ err: failure.cause ?? thrown }, 'dependency unavailable')
  const { retryAfterSeconds } = failure
  return {
    ...failure.toBody(request.id),
    status: failure.status,
    ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
  }
}

/** Reads a message. A batch is refused: no revision since 2025-06-18 has them, and each call must be counted. */
export function readMessage(body: unknown): Message {
  if (Array.isArray(body)) throw new ApiError('validation_error', { detail: 'Send one JSON-RPC message per request, not a batch.' })
  if (typeof body !== 'object' || body === null || !('jsonrpc' in body)) {
    throw new ApiError('validation_error', { detail: 'The body must be a JSON-RPC 2.0 message.' })
  }
  // Each field is read as unknown.
  return body as Message
}

function idOf(body: unknown): string | number | null {
  const { id } = (body ?? {}) as { id?: unknown }
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
