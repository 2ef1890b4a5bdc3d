import type { oas31 } from 'zod-openapi'

export type HeaderName = keyof ReturnType<typeof headers>

/** Headers of every response that counts against a rate limit. */
export const LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const

/** Response headers that operations share. */
export function headers() {
  const text = { type: 'string' } as const
  const count = { type: 'integer', minimum: 0 } as const
  return {
    'X-Request-Id': { description: 'Identifies this request in our logs: your own id, if you sent one.', required: true, schema: text },
    RateLimit: {
      description: 'Remaining requests, and the seconds until the limit resets (draft-ietf-httpapi-ratelimit-headers).',
      schema: text,
      example: '"authenticated";r=987;t=1800',
    },
    'RateLimit-Policy': {
      description: 'The limit: requests per window of seconds (draft-ietf-httpapi-ratelimit-headers).',
      schema: text,
      example: '"authenticated";q=1000;w=3600',
    },
    'X-RateLimit-Limit': { description: 'Maximum number of requests in the window.', schema: count },
    'X-RateLimit-Remaining': { description: 'Remaining requests in the window.', schema: count },
    'X-RateLimit-Reset': { description: 'When the limit resets, in Unix seconds.', schema: count },
    'Retry-After': { description: 'Seconds to wait before the next attempt.', required: true, schema: count },
    ETag: { description: 'Tag of this response, for `If-None-Match`.', required: true, schema: text },
    Location: { description: 'Path of the new resource.', required: true, schema: { type: 'string', format: 'uri-reference' } },
    'Idempotency-Replayed': {
      description: '`true` when this repeats the first response to the `Idempotency-Key`.',
      schema: { type: 'string', const: 'true' },
    },
    'WWW-Authenticate': { description: 'How to authenticate (RFC 6750).', schema: text, example: 'Bearer' },
  } as const satisfies Record<string, oas31.HeaderObject>
}

/** Returns references to the named headers, and to the request id of every response. */
export function headerRefs(...names: readonly HeaderName[]): oas31.HeadersObject {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
