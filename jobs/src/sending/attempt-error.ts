import type { attemptErrorCodes } from '@earshot/contracts'
import { errors } from './undici.ts'

export type AttemptErrorCode = (typeof attemptErrorCodes)[number]

/** The reason why an attempt got no usable response; recorded with the attempt and shown to the endpoint's owner. */
export interface AttemptError {
  code: AttemptErrorCode
  detail: string
}

/** A failure that our own code detects, with its attempt error. */
export class AttemptFailure extends Error {
  readonly attemptError: AttemptError

  constructor(code: AttemptErrorCode, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.name = 'AttemptFailure'
    this.attemptError = { code, detail }
  }
}

/** The attempt errors for the error codes of Node and undici. */
const KNOWN: Record<string, AttemptError> = {
  ECONNREFUSED: { code: 'connection_refused', detail: 'The receiver refused the connection.' },
  EHOSTUNREACH: { code: 'connection_refused', detail: 'No route to the receiver.' },
  ENETUNREACH: { code: 'connection_refused', detail: 'No route to the receiver.' },
  ETIMEDOUT: { code: 'connect_timeout', detail: 'The receiver did not accept the connection in time.' },
  ECONNRESET: { code: 'connection_reset', detail: 'The receiver reset the connection.' },
  EPIPE: { code: 'connection_reset', detail: 'The receiver closed the connection while the request was being sent.' },
  UND_ERR_SOCKET: { code: 'connection_reset', detail: 'The receiver closed the connection before the response was complete.' },
  UND_ERR_HEADERS_OVERFLOW: { code: 'protocol_error', detail: 'The response headers are larger than 16 KB.' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    code: 'protocol_error',
    detail: 'The length of the response body does not match its Content-Length.',
  },
  UND_ERR_DESTROYED: { code: 'interrupted', detail: 'The worker stopped.' },
  UND_ERR_CLOSED: { code: 'interrupted', detail: 'The worker stopped.' },
}

const OWN_SHORTAGE = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])

/** Whether a failure is a shortage of this machine, which says nothing about another. */
export function isOwnShortage(error: unknown): boolean {
  return OWN_SHORTAGE.has(codeOf(error))
}

/** Returns the attempt error for any failure to connect, send or receive. An unknown failure is a reset connection. */
export function toAttemptError(error: unknown): AttemptError {
  if (error instanceof AttemptFailure) return error.attemptError
  if (error instanceof AggregateError) return toAttemptError(mostTelling(error.errors))
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : ''
  // A switch of protocols (101) that was not asked for. undici distinguishes it from a closed socket by the message alone.
  if (code === 'UND_ERR_SOCKET' && message.startsWith('bad '))
    return { code: 'protocol_error', detail: 'The response does not match the request.' }
  const known = KNOWN[code]
  if (known) return known
  if (OWN_SHORTAGE.has(code)) return { code: 'interrupted', detail: `The worker ran out of sockets (${code}).` }
  // TLS can also fail after the handshake.
  if (code.startsWith('ERR_SSL_')) return { code: 'tls_error', detail: `TLS failed: ${code}.` }
  // undici asserts that a status is at least 100, although its parser accepts 0xx.
  if (code === 'ERR_ASSERTION') return { code: 'protocol_error', detail: 'The response is not valid HTTP.' }
  if (error instanceof errors.HTTPParserError) return { code: 'protocol_error', detail: `The response is not valid HTTP: ${message}.` }
  if (code.startsWith('UND_ERR_')) return { code: 'protocol_error', detail: `The request cannot be sent: ${message}.` }
  return { code: 'connection_reset', detail: `The connection failed${code ? `: ${code}` : ''}.` }
}

/** Returns the failure to report when all addresses failed (RFC 8305): a timeout, else the last one not caused by this machine. */
function mostTelling(failures: readonly unknown[]): unknown {
  const timedOut = failures.find((failure) => codeOf(failure) === 'ETIMEDOUT')
  return timedOut ?? failures.findLast((failure) => !isOwnShortage(failure)) ?? failures.at(-1)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
