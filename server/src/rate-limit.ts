import { ApiError, type LimitName, limits } from '@earshot/contracts'
import type { Limit } from '@earshot/db'
import type { Outlet } from './outlet.ts'

const MAX_INTEGER = 2_147_483_647

/** Scales every limit, for load tests. */
export function scaled(name: LimitName, multiplier: number): Limit {
  const { max, windowSeconds } = limits[name]
  return { max: Math.min(MAX_INTEGER, Math.round(max * multiplier)), windowSeconds }
}

/** Reports where the caller stands. Throws `rate_limited` when the count says that the limit is reached. */
export function requireRoom(
  name: LimitName,
  limit: Limit,
  { used, reset_seconds }: { used: number | null; reset_seconds: number },
  outlet: Pick<Outlet, 'standing'>,
): void {
  outlet.standing({ name, limit, remaining: used === null ? 0 : limit.max - used, resetSeconds: reset_seconds })
  if (used === null) throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, reset_seconds) })
}
