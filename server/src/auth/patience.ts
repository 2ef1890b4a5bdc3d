import type { Patience } from '@earshot/db'
import type { FastifyRequest } from 'fastify'

const WAIT_MS = 3_000

/** How long a request waits for connections to the database, in all: until its time is over, or its client has disconnected. */
export function patienceOf(request: FastifyRequest): Patience {
  return { untilMs: performance.now() + WAIT_MS, isGone: () => request.raw.socket.destroyed }
}
