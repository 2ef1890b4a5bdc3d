import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { ApiError } from '@earshot/contracts'
import { Piscina } from 'piscina'
import type { hashHere, verifyHere } from './argon2.ts'

const MAX_WAITING = 50
const NICENESS = 10
const IDLE_MS = 60_000
const MADE_BYTES = 18

export interface Passwords {
  hash(password: string): Promise<string>
  /** Compares a password. Without a hash (no such account) it takes as long and returns false. */
  matches(passwordHash: string | null, password: string): Promise<boolean>
  close(): Promise<void>
}

/**
 * Hashes passwords with argon2id in threads of low priority. Each hash takes a processor for some milliseconds, and one
 * processor is left for other requests. Throws `dependency_unavailable` when too many wait.
 */
export function createPasswords({ niceness = NICENESS }: { niceness?: number | undefined } = {}): Passwords {
  const threads = new Piscina({
    filename: new URL('argon2.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: Math.max(1, availableParallelism() - 1),
    idleTimeout: IDLE_MS,
    niceIncrement: niceness,
  })
  const requireShortQueue = () => {
    if (threads.queueSize >= MAX_WAITING) {
      throw new ApiError('dependency_unavailable', {
        detail: 'Too many sign-ins right now; retry with backoff.',
        retryAfterSeconds: 1,
      })
    }
  }
  const hash = async (password: Parameters<typeof hashHere>[0]): Promise<string> => {
    requireShortQueue()
    return threads.run(password, { name: 'hashHere' })
  }
  const verify = async (values: Parameters<typeof verifyHere>[0]): Promise<boolean> => {
    requireShortQueue()
    return threads.run(values, { name: 'verifyHere' })
  }
  // The hash of a random password, which no password matches.
  let dummy: string | undefined
  return {
    hash,
    async matches(passwordHash, password) {
      dummy ??= await hash(makePassword())
      const isRight = await verify({ passwordHash: passwordHash ?? dummy, password })
      return isRight && passwordHash !== null
    },
    close: () => threads.destroy(),
  }
}

export function makePassword(): string {
  return randomBytes(MADE_BYTES).toString('base64url')
}
