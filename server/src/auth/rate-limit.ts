import { ApiError, type LimitName, limits } from '@earshot/contracts'
import { countRequest, type Limit, type Tx } from '@earshot/db'
import { addressSubject } from './client-address.ts'
import type { ReplyHeaders } from './reply-headers.ts'

const MAX_INTEGER = 2_147_483_647

/** Returns a limit, scaled for load tests. */
export function scaled(name: LimitName, multiplier: number): Limit {
  const { max, windowSeconds } = limits[name]
  return { max: scaledMax(max, multiplier), windowSeconds }
}

export function scaledMax(max: number, multiplier: number): number {
  return Math.min(MAX_INTEGER, Math.round(max * multiplier))
}

/** Sets the rate limit headers of a counted request. Throws `rate_limited` when the limit is reached. */
export function requireWithinLimit(
  name: LimitName,
  limit: Limit,
  { used, reset_seconds }: { used: number | null; reset_seconds: number },
  replyHeaders: Pick<ReplyHeaders, 'rateLimit'>,
): void {
  replyHeaders.rateLimit({ name, limit, remaining: used === null ? 0 : limit.max - used, resetSeconds: reset_seconds })
  if (used === null) throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, reset_seconds) })
}

/** Returns the subject and limit that count requests without a valid credential. */
export function unauthenticated(ip: string, multiplier: number): { subject: string; limit: Limit } {
  return { subject: `unauthenticated:${addressSubject(ip)}`, limit: scaled('unauthenticated', multiplier) }
}

/** Counts a request without a valid credential. Throws `rate_limited`. */
export async function countUnauthenticated(
  tx: Tx,
  { ip, multiplier, replyHeaders }: { ip: string; multiplier: number; replyHeaders: Pick<ReplyHeaders, 'rateLimit'> },
): Promise<void> {
  const counter = unauthenticated(ip, multiplier)
  requireWithinLimit('unauthenticated', counter.limit, await countRequest(tx, counter), replyHeaders)
}

/** Whether an error is a failed attempt of the caller, rather than a failure of the service or a rate limit. */
export function isFailedAttempt({ status }: ApiError): boolean {
  return status < 500 && status !== 429
}
