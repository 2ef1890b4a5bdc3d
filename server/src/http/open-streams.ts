import type { ServerResponse } from 'node:http'
import { ApiError } from '@earshot/contracts'

const MAX_STREAMS = 20
const RETRY_AFTER_SECONDS = 15
/** How long a reader that takes nothing may keep a stop waiting. */
const GRACE_MS = 1_000

/** The streams that are open in this process. */
export interface OpenStreams {
  /** Counts the answer until it closes; the signal tells that it ends. Throws `rate_limited` for a person with too many. */
  enter: (userId: string, answer: ServerResponse) => AbortSignal
  /** Ends all of them, and whichever begin from now on. */
  endAll: () => void
}

export function createOpenStreams(): OpenStreams {
  const answers = new Map<ServerResponse, { userId: string; ending: AbortController }>()
  let isClosing = false

  return {
    enter(userId, answer) {
      const count = [...answers.values()].filter((one) => one.userId === userId).length
      if (count >= MAX_STREAMS) {
        const detail = `You have ${MAX_STREAMS} streams open, which is the most; close one.`
        throw new ApiError('rate_limited', { detail, retryAfterSeconds: RETRY_AFTER_SECONDS })
      }
      const ending = new AbortController()
      answers.set(answer, { userId, ending })
      answer.once('close', () => {
        answers.delete(answer)
        ending.abort()
      })
      if (isClosing) ending.abort()
      return ending.signal
    },
    endAll() {
      isClosing = true
      for (const { ending } of answers.values()) ending.abort()
      setTimeout(() => {
        for (const answer of answers.keys()) answer.destroy()
      }, GRACE_MS).unref()
    },
  }
}
