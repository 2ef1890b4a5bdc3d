import { ApiError, sizes } from '@earshot/contracts'
import type { Patience } from '@earshot/db'
import type { FastifyRequest } from 'fastify'
import { isForwarded } from './forwarding.ts'
import { patienceOf } from './patience.ts'
import { type Provenance, provenanceOf } from './provenance.ts'
import { LOOKS_LIKE_TOKEN } from './token-values.ts'
import { uploadTokenOf } from './upload-token.ts'

const USER_AGENT_CHARACTERS = 300

/** What is known of a request before it is authorized. The same for REST and tRPC. */
export interface RequestFacts {
  authorization: string | undefined
  /** The Cookie header. */
  cookies: string | undefined
  provenance: Provenance
  /** The beginning of the User-Agent header. */
  userAgent: string | null
  ip: string
  /** The Origin header, unless the request comes from a page of our own. The team must allow it. */
  origin: string | null
  isForwarded: boolean
  client: 'mcp' | null
  /** Whether the request has the header of a webhook delivery. */
  isDelivery: boolean
  /** Whether the body is so large, or of unknown size, that the request is counted before it is read, on every surface. */
  hasLargeBody: boolean
  /** The token of an upload, not yet validated. */
  uploadToken: string | null
  /** The path fields, not yet validated. */
  path: Record<string, string | undefined>
  /** Ends when the client disconnects. */
  patience: Patience
}

/** Reads the facts of a request. Throws `invalid_token` when the address contains a token. */
export function requestFactsOf(request: FastifyRequest, ownOrigin: string): RequestFacts {
  const { headers, query } = request
  const values = Object.values(query as Record<string, unknown>)
  if (values.length > 0 && values.flat().some((value) => LOOKS_LIKE_TOKEN.test(String(value)))) {
    throw new ApiError('invalid_token', {
      detail: 'Never put a token in a URL. Send it as "Authorization: Bearer <token>", and delete this one: URLs end up in logs.',
    })
  }
  const { origin } = headers
  const provenance = provenanceOf(request, ownOrigin)
  return {
    authorization: headers.authorization,
    cookies: headers.cookie,
    provenance,
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_CHARACTERS) ?? null,
    ip: request.ip,
    origin: origin === undefined || origin === ownOrigin || provenance.isOwnPage ? null : origin,
    isForwarded: isForwarded(headers),
    client: headers['x-earshot-client'] === 'mcp' ? 'mcp' : null,
    isDelivery: headers['x-service-delivery'] !== undefined,
    hasLargeBody: hasLargeBody(headers),
    uploadToken: uploadTokenOf(headers),
    path: request.params as Record<string, string | undefined>,
    patience: patienceOf(request),
  }
}

/** Whether a body is large, or of unknown length. */
export function hasLargeBody(headers: FastifyRequest['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > sizes.smallBodyBytes
}
