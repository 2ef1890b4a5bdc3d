import type { ServerResponse } from 'node:http'
import { ApiError } from '@earshot/contracts'

const RETRY_AFTER_SECONDS = 15
/** How long a reader that does not read may delay a shutdown. */
export const GRACE_MS = 1_000

/** The streams, or the exports, that are open in this process. */
export interface OpenStreams {
  /** Counts a response until it closes; the signal aborts then. Throws `rate_limited` for a person with too many. */
  enter: (userId: string, response: ServerResponse) => AbortSignal
  /** Ends all streams, including those that start from now on. */
  endAll: () => void
}

/** Allows each person `max` of what `noun` names. A stalled reader may delay a shutdown for `graceMs`. */
export function createOpenStreams(max: number, noun: string, graceMs = GRACE_MS): OpenStreams {
  const responses = new Map<ServerResponse, { userId: string; ending: AbortController }>()
  let isClosing = false

  return {
    enter(userId, response) {
      const count = [...responses.values()].filter((one) => one.userId === userId).length
      if (count >= max) {
        const detail = `You have ${max} ${noun}, which is the maximum; end one.`
        throw new ApiError('rate_limited', { detail, retryAfterSeconds: RETRY_AFTER_SECONDS })
      }
      const ending = new AbortController()
      responses.set(response, { userId, ending })
      response.once('close', () => {
        responses.delete(response)
        ending.abort()
      })
      if (isClosing) ending.abort()
      return ending.signal
    },
    endAll() {
      isClosing = true
      for (const { ending } of responses.values()) ending.abort()
      setTimeout(() => {
        for (const response of responses.keys()) response.destroy()
      }, graceMs).unref()
    },
  }
}
