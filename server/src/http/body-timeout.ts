import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendClientError } from './client-error.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A body that may take any time, as long as its bytes keep coming: how long it may stall. */
    bodyStallMs?: number
  }
}

/**
 * Breaks off requests whose body takes longer than `timeoutMs` to arrive. Node's own `requestTimeout` knows no routes, and an
 * upload takes as long as its connection is slow.
 */
export function registerBodyTimeout(app: FastifyInstance, { timeoutMs }: { timeoutMs: number }): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (length !== undefined || encoding !== undefined) limitArrival(request, timeoutMs)
    done()
  })
}

function limitArrival(request: FastifyRequest, timeoutMs: number): void {
  const { bodyStallMs } = request.routeOptions.config
  const isArriving = bodyStallMs === undefined ? () => false : progressOf(request)
  const timer = setTimeout(() => (isArriving() ? timer.refresh() : breakOff(request)), bodyStallMs ?? timeoutMs)
  const stop = () => clearTimeout(timer)
  request.raw.once('end', stop).once('close', stop)
}

/** Returns whether bytes have come since the last look. */
function progressOf({ raw: { socket } }: FastifyRequest): () => boolean {
  let seen = socket.bytesRead
  return () => {
    const last = seen
    seen = socket.bytesRead
    return seen > last
  }
}

function breakOff({ raw }: FastifyRequest): void {
  sendClientError(Object.assign(new Error('The request took too long to arrive'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket)
}
