import type { Patience } from '@earshot/db'
import type { FastifyRequest } from 'fastify'

const WAIT_MS = 3_000
/** Longer than for other requests: a stream or an export that ends costs its reader more than a pause does. */
const PAGE_WAIT_MS = 10_000

/** How long a request waits for connections to the database, in all: until its time is over, or its client has disconnected. */
export function patienceOf(request: FastifyRequest): Patience {
  return patience(request, WAIT_MS)
}

/** How long one page of a stream or an export waits. */
export function patienceOfPage(request: FastifyRequest): Patience {
  return patience(request, PAGE_WAIT_MS)
}

function patience({ raw }: FastifyRequest, waitMs: number): Patience {
  return { untilMs: performance.now() + waitMs, isGone: () => raw.socket.destroyed }
}
