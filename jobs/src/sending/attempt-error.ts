import type { attemptErrorCodes } from '@earshot/contracts'
import { errors } from 'undici'

export type AttemptErrorCode = (typeof attemptErrorCodes)[number]

/** Why an attempt got no usable answer; recorded with the attempt and shown to the endpoint's owner. */
export interface AttemptError {
  code: AttemptErrorCode
  detail: string
}

/** A failure that we found ourselves and already know how to name. */
export class AttemptFailure extends Error {
  readonly attemptError: AttemptError

  constructor(code: AttemptErrorCode, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.name = 'AttemptFailure'
    this.attemptError = { code, detail }
  }
}

/** What Node and undici call it, and what the endpoint's owner reads. */
const KNOWN: Record<string, AttemptError> = {
  ECONNREFUSED: { code: 'connection_refused', detail: 'The receiver refused the connection.' },
  EHOSTUNREACH: { code: 'connection_refused', detail: 'There is no route to the receiver.' },
  ENETUNREACH: { code: 'connection_refused', detail: 'There is no route to the receiver.' },
  ETIMEDOUT: { code: 'connect_timeout', detail: 'The receiver did not answer the connection.' },
  ECONNRESET: { code: 'connection_reset', detail: 'The receiver reset the connection.' },
  EPIPE: { code: 'connection_reset', detail: 'The receiver closed the connection while the request was being sent.' },
  UND_ERR_SOCKET: { code: 'connection_reset', detail: 'The receiver closed the connection before its answer was complete.' },
  UND_ERR_HEADERS_OVERFLOW: { code: 'protocol_error', detail: 'The headers of the answer are larger than 16 KB.' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { code: 'protocol_error', detail: 'The answer is not as long as its Content-Length says.' },
  UND_ERR_DESTROYED: { code: 'interrupted', detail: 'The sender was stopped.' },
  UND_ERR_CLOSED: { code: 'interrupted', detail: 'The sender was stopped.' },
}

/** Failures of our own machine, which say nothing about the receiver. */
const OWN_SHORTAGE = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])

/** Names any failure of connecting, sending or receiving. Whatever it does not know is a failed connection. */
export function toAttemptError(error: unknown): AttemptError {
  if (error instanceof AttemptFailure) return error.attemptError
  if (error instanceof AggregateError) return toAttemptError(standFor(error.errors))
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : ''
  // A switch of protocols (101) that nobody asked for; undici tells it from a closed socket by its words alone.
  if (code === 'UND_ERR_SOCKET' && message.startsWith('bad '))
    return { code: 'protocol_error', detail: 'The answer does not fit the request.' }
  const known = KNOWN[code]
  if (known) return known
  if (OWN_SHORTAGE.has(code)) return { code: 'interrupted', detail: `The sender ran out of sockets (${code}).` }
  // TLS can fail after the handshake too.
  if (code.startsWith('ERR_SSL_')) return { code: 'tls_error', detail: `TLS failed: ${code}.` }
  // undici asserts that a status is at least 100, where its parser lets 0xx pass.
  if (code === 'ERR_ASSERTION') return { code: 'protocol_error', detail: 'The answer is not valid HTTP.' }
  if (error instanceof errors.HTTPParserError) return { code: 'protocol_error', detail: `The answer is not valid HTTP: ${message}.` }
  if (code.startsWith('UND_ERR_')) return { code: 'protocol_error', detail: `The request cannot be sent: ${message}.` }
  return { code: 'connection_reset', detail: `The connection failed${code ? `: ${code}` : ''}.` }
}

/** All addresses failed (RFC 8305): a timeout stands for them all, or else the last that is not our own machine's fault. */
function standFor(failures: readonly unknown[]): unknown {
  const isReceivers = (failure: unknown) => !OWN_SHORTAGE.has(codeOf(failure))
  return failures.find((failure) => codeOf(failure) === 'ETIMEDOUT') ?? failures.findLast(isReceivers) ?? failures.at(-1)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
