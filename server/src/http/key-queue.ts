import { ApiError } from '@earshot/contracts'
import { settleWithin } from '@earshot/drivers'

const MAX_WAIT_MS = 10_000
/** Requests of one caller that may wait for a request with the same key. */
const MAX_WAITING = 64

/** Lets requests with the same idempotency key run one after another in this process. While one waits, it holds no connection. */
export interface KeyQueue {
  /** Runs the work after all earlier work of the key. Throws `idempotency_in_progress` when that takes too long. */
  run<Result>(caller: string, key: string, work: () => Promise<Result>): Promise<Result>
}

export function createKeyQueue(): KeyQueue {
  /** By caller and key: settles when all requests so far have ended. */
  const tails = new Map<string, Promise<void>>()
  const waiting = new Map<string, number>()

  async function wait(caller: string, earlier: Promise<void>): Promise<void> {
    const count = waiting.get(caller) ?? 0
    if (count >= MAX_WAITING) throw inProgress()
    waiting.set(caller, count + 1)
    const isOver = await settleWithin(
      MAX_WAIT_MS,
      earlier.then(() => true),
      false,
    )
    const left = (waiting.get(caller) ?? 1) - 1
    if (left === 0) waiting.delete(caller)
    else waiting.set(caller, left)
    if (!isOver) throw inProgress()
  }

  return {
    async run(caller, key, work) {
      const name = `${caller} ${key}`
      const earlier = tails.get(name)
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const tail = earlier === undefined ? ended : earlier.then(() => ended)
      tails.set(name, tail)
      try {
        if (earlier !== undefined) await wait(caller, earlier)
        return await work()
      } finally {
        end()
        if (tails.get(name) === tail) tails.delete(name)
      }
    },
  }
}

function inProgress(): ApiError {
  return new ApiError('idempotency_in_progress', { retryAfterSeconds: 1 })
}
