import type { IncomingMessage } from 'node:http'
import { ApiError } from '@earshot/contracts'

const STALLED = Symbol('stalled')

interface BodyLimits {
  /** How long it may stall. */
  stallMs: number
  /** How long it may be. */
  maxBytes: number
}

/**
 * Yields the bytes of a body as they come. Throws `validation_error` when none come for `stallMs` while they are wanted, and when the
 * connection breaks off; `body_too_large` when they are too many. Leaving it early keeps the connection open for the response.
 */
export async function* arrivingBytes(request: IncomingMessage, { stallMs, maxBytes }: BodyLimits): AsyncGenerator<Uint8Array> {
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>
  let left = maxBytes
  for (;;) {
    const result = await nextWithin(chunks, stallMs).catch(brokenOff)
    if (result === STALLED)
      throw new ApiError('validation_error', { detail: `No bytes came for ${stallMs / 1_000} seconds. What had arrived is kept; resume.` })
    if (result.done) return
    left -= result.value.length
    if (left < 0) throw new ApiError('body_too_large', { limit_bytes: maxBytes })
    yield result.value
  }
}

function brokenOff(cause: unknown): never {
  throw Object.assign(new ApiError('validation_error', { detail: 'The connection broke off.' }), { cause })
}

async function nextWithin(chunks: AsyncIterator<Uint8Array>, stallMs: number): Promise<IteratorResult<Uint8Array> | typeof STALLED> {
  const { promise: stalled, resolve } = Promise.withResolvers<typeof STALLED>()
  const timer = setTimeout(resolve, stallMs, STALLED)
  try {
    // The promise is new for each chunk: one that lives longer would keep all of them in memory.
    return await Promise.race([chunks.next(), stalled])
  } finally {
    clearTimeout(timer)
  }
}
