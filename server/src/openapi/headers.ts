import type { oas31 } from 'zod-openapi'

export type HeaderName = keyof ReturnType<typeof headers>

/** Headers of every answer that was counted against a limit. */
export const LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const

/** Response headers that operations share. */
export function headers() {
  const text = { type: 'string' } as const
  const count = { type: 'integer', minimum: 0 } as const
  return {
    'X-Request-Id': { description: 'Names this request in our logs: yours, if you sent one.', required: true, schema: text },
    RateLimit: {
      description: 'What is left of the limit, and the seconds until it starts anew (draft-ietf-httpapi-ratelimit-headers).',
      schema: text,
      example: '"authenticated";r=987;t=1800',
    },
    'RateLimit-Policy': {
      description: 'The limit: requests and seconds (draft-ietf-httpapi-ratelimit-headers).',
      schema: text,
      example: '"authenticated";q=1000;w=3600',
    },
    'X-RateLimit-Limit': { description: 'Requests that the limit allows.', schema: count },
    'X-RateLimit-Remaining': { description: 'Requests that are left.', schema: count },
    'X-RateLimit-Reset': { description: 'When the limit starts anew, in Unix seconds.', schema: count },
    'Retry-After': { description: 'Seconds to wait before the next try.', required: true, schema: count },
    ETag: { description: 'Tag of this answer, for `If-None-Match`.', required: true, schema: text },
    Location: { description: 'Where the new resource is.', required: true, schema: { type: 'string', format: 'uri-reference' } },
    'Idempotency-Replayed': {
      description: '`true` when this is the first answer to the `Idempotency-Key` once more.',
      schema: { type: 'string', const: 'true' },
    },
    'WWW-Authenticate': { description: 'How to sign in (RFC 6750).', schema: text, example: 'Bearer' },
  } as const satisfies Record<string, oas31.HeaderObject>
}

/** References to the named headers, and to the request id that every answer carries. */
export function headerRefs(...names: readonly HeaderName[]): oas31.HeadersObject {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
