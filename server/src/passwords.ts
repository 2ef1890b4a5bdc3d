import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { ApiError } from '@earshot/contracts'
import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'

/** RFC 9106 by the OWASP cheat sheet: argon2id (2), 19 MiB, two passes, one lane. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const CURRENT = '$argon2id$v=19$m=19456,t=2,p=1$'
const MAX_WAITING = 50
const MADE_BYTES = 18

export interface Passwords {
  hash(password: string): Promise<string>
  /** Without a hash (no such account) it takes as long, and the answer is no. */
  matches(passwordHash: string | null, password: string): Promise<boolean>
}

/**
 * argon2id, a few at a time: each takes a processor for some milliseconds, and one is left for everybody else. Throws
 * `dependency_unavailable` when too many wait.
 */
export function createPasswords(): Passwords {
  const turns = pLimit(Math.max(1, availableParallelism() - 1))
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (turns.pendingCount >= MAX_WAITING) {
      throw new ApiError('dependency_unavailable', {
        detail: 'Too many sign-ins at this moment; retry with backoff.',
        retryAfterSeconds: 1,
      })
    }
    return turns(work)
  }
  // Nobody knows its password.
  let dummy: Promise<string> | undefined
  return {
    hash: async (password) => inTurn(() => hashPassword(password)),
    async matches(passwordHash, password) {
      dummy ??= hashPassword(makePassword())
      const against = passwordHash ?? (await dummy)
      const isRight = await inTurn(() => verify(against, password))
      return isRight && passwordHash !== null
    },
  }
}

/** Whether a hash was made with weaker parameters than today's. */
export function isOutdated(passwordHash: string): boolean {
  return !passwordHash.startsWith(CURRENT)
}

export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS)
}

export function makePassword(): string {
  return randomBytes(MADE_BYTES).toString('base64url')
}
