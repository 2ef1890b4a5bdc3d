import { ApiError, type ErrorBody } from '@earshot/contracts'
import { TRPCError } from '@trpc/server'
import { toApiError } from './failure.ts'

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

/** What a tRPC client finds in `error`: the error body of REST stands in `data`. */
export interface ErrorShape {
  message: string
  code: number
  data: ErrorBody
}

/** Wraps an error of the table so that tRPC answers with its status. */
export function toTRPCError(error: unknown): TRPCError {
  const cause = toApiError(error)
  const code = codeOfStatus[cause.status as keyof typeof codeOfStatus] ?? 'INTERNAL_SERVER_ERROR'
  return new TRPCError({ code, message: cause.message, cause })
}

/** The body of any failure on /trpc, those of tRPC's own included. */
export function trpcErrorBody(error: TRPCError, requestId: string): ErrorBody {
  return (error.cause instanceof ApiError ? error.cause : ownFailure(error)).toBody(requestId)
}

function ownFailure({ code }: TRPCError): ApiError {
  if (code === 'PARSE_ERROR') return new ApiError('malformed_json')
  if (code === 'NOT_FOUND') return new ApiError('not_found')
  if (code === 'METHOD_NOT_SUPPORTED') return new ApiError('method_not_allowed')
  if (code === 'UNSUPPORTED_MEDIA_TYPE') return new ApiError('unsupported_media_type')
  return code === 'BAD_REQUEST' ? new ApiError('validation_error') : new ApiError('internal_error')
}
