import { ApiError, type ErrorBody } from '@earshot/contracts'
import type { ErrorShape } from '@earshot/contracts/trpc'
import { TRPCError } from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendFailure, toApiError } from './failure.ts'

const codeOfStatus = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  402: 'PAYMENT_REQUIRED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
} as const

/** Wraps an error so that tRPC responds with its status. */
export function toTRPCError(error: unknown): TRPCError {
  const cause = toApiError(error)
  const code = codeOfStatus[cause.status as keyof typeof codeOfStatus] ?? 'INTERNAL_SERVER_ERROR'
  return new TRPCError({ code, message: cause.message, cause })
}

/** Sends an error that occurs before tRPC, such as malformed JSON, in tRPC's shape. */
export function sendTRPCFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, message } = toTRPCError(error)
  return sendFailure(error, request, reply, (data) => ({
    error: { message, code: TRPC_ERROR_CODES_BY_KEY[code], data } satisfies ErrorShape,
  }))
}

/** Returns the error body of any failure on /trpc, including tRPC's own. */
export function trpcErrorBody(error: TRPCError, requestId: string): ErrorBody {
  return (error.cause instanceof ApiError ? error.cause : ownFailure(error)).toBody(requestId)
}

function ownFailure({ code, cause }: TRPCError): ApiError {
  if (code === 'PARSE_ERROR' || cause instanceof SyntaxError) return new ApiError('malformed_json')
  if (code === 'NOT_FOUND') return new ApiError('not_found')
  if (code === 'METHOD_NOT_SUPPORTED') return new ApiError('method_not_allowed')
  if (code === 'UNSUPPORTED_MEDIA_TYPE') return new ApiError('unsupported_media_type')
  return code === 'BAD_REQUEST' ? new ApiError('validation_error') : new ApiError('internal_error')
}
