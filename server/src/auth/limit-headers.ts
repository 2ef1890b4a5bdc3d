import type { LimitName } from '@earshot/contracts'
import type { Limit } from '@earshot/db'

/** A caller's remaining requests in a rate limit. */
export interface RateLimitStatus {
  name: LimitName
  limit: Limit
  remaining: number
  resetSeconds: number
}

/** Returns the headers of rate limits: draft-ietf-httpapi-ratelimit-headers, and the older ones that many clients read. */
export function limitHeaders({ name, limit, remaining, resetSeconds }: RateLimitStatus): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${limit.max};w=${limit.windowSeconds}`,
    ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
    'x-ratelimit-limit': String(limit.max),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + resetSeconds),
  }
}
