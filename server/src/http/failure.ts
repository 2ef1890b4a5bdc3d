import { ApiError, type ErrorBody, sizes } from '@earshot/contracts'
import { BlobStoreError } from '@earshot/drivers'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

const STORE_RETRY_SECONDS = 10

/** Maps any thrown value to an error of the table. Unknown ones become `internal_error` and do not reveal their cause. */
export function toApiError(error: unknown, limitBytes: number = sizes.bodyBytes): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof BlobStoreError) return new ApiError('dependency_unavailable', { retryAfterSeconds: STORE_RETRY_SECONDS })
  const code = (error as FastifyError).code
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('body_too_large', { limit_bytes: limitBytes })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ApiError('unsupported_media_type')
  // The client left before its body had arrived, and reads no response.
  if (code === 'ECONNRESET') return new ApiError('malformed_json')
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH' || code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return new ApiError('malformed_json')
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH' || code === 'FST_STATIC_FORBIDDEN_PATH')
    return new ApiError('not_found')
  return new ApiError('internal_error')
}

/** Logs and sends an error. `shape` wraps the body for protocols that need more. */
export function sendFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  shape: (body: ErrorBody) => object = (body) => body,
): FastifyReply {
  const failure = toApiError(error, request.routeOptions.bodyLimit)
  if (failure.status === 500) request.log.error({ err: error }, 'request failed')
  else if (failure.status === 503) request.log.warn({ err: failure.cause ?? error }, 'dependency unavailable')
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds)
  const challenge = challengeOf(failure)
  if (challenge !== null && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', challenge)
  return (
    reply
      .code(failure.status)
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      // For requests that fail before any hook runs.
      .header('x-request-id', request.id)
      .send(JSON.stringify(shape(bodyOf(failure, request))))
  )
}

/** Returns `WWW-Authenticate` (RFC 6750 §3), with an error only for requests that sent a token. */
function challengeOf({ code, status, fields }: ApiError): string | null {
  if (code === 'invalid_token' || code === 'token_expired') return 'Bearer error="invalid_token"'
  if (code === 'insufficient_scope') return `Bearer error="insufficient_scope", scope="${String(fields.required_scope)}"`
  return status === 401 ? 'Bearer' : null
}

/** Hides a team's quota on the public plane: the body has only the code. */
function bodyOf(failure: ApiError, request: FastifyRequest): ErrorBody {
  const body = failure.toBody(request.id)
  const isPublicPlane = request.url.startsWith('/api/public/')
  return isPublicPlane && failure.status === 402 ? { detail: body.detail, code: body.code, request_id: body.request_id } : body
}
