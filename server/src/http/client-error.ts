import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { ApiError } from '@earshot/contracts'

const REASONS: Record<number, string> = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }

/** Sends the usual error body for requests that the HTTP parser refuses. They reach no route, so it writes to the socket. */
export function sendClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error)
  const failure = error.code === 'HPE_HEADER_OVERFLOW' ? new ApiError('headers_too_large') : malformed(error)
  const requestId = randomUUID()
  const body = JSON.stringify(failure.toBody(requestId))
  const head = [
    `HTTP/1.1 ${failure.status} ${REASONS[failure.status] ?? 'Bad Request'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function malformed({ code }: { code?: string }): ApiError {
  const detail = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'The request took too long to arrive.' : 'This is not a well-formed HTTP request.'
  return new ApiError('validation_error', { detail })
}
