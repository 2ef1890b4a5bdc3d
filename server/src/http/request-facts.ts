import { ApiError } from '@earshot/contracts'
import type { FastifyRequest } from 'fastify'
import { LOOKS_LIKE_TOKEN } from '../auth/token-values.ts'
import { isForwarded } from './forwarding.ts'
import { type Provenance, provenanceOf } from './provenance.ts'

const USER_AGENT_CHARACTERS = 300

/** What of a request decides who may do it. The same for REST and tRPC. */
export interface RequestFacts {
  authorization: string | undefined
  /** The header with the cookies. */
  cookies: string | undefined
  provenance: Provenance
  /** The beginning of what the program calls itself. */
  userAgent: string | null
  ip: string
  /** Origin of the page that calls, when it is not our own. */
  origin: string | null
  isForwarded: boolean
  client: 'mcp' | null
  /** Whether it carries the header of a webhook delivery. */
  isDelivery: boolean
  /** Path fields, as they came. */
  path: Record<string, string | undefined>
}

/** Reads it from a request. Throws 401 when an address carries what looks like a token. */
export function requestFactsOf(request: FastifyRequest, ownOrigin: string): RequestFacts {
  const { headers, query } = request
  if (
    Object.values(query as Record<string, unknown>)
      .flat()
      .some((value) => LOOKS_LIKE_TOKEN.test(String(value)))
  ) {
    throw new ApiError('invalid_token', {
      detail: 'A token must never stand in an address: send it as "Authorization: Bearer <token>", and delete this one.',
    })
  }
  const { origin } = headers
  return {
    authorization: headers.authorization,
    cookies: headers.cookie,
    provenance: provenanceOf(headers, ownOrigin),
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_CHARACTERS) ?? null,
    ip: request.ip,
    origin: origin === undefined || origin === ownOrigin ? null : origin,
    isForwarded: isForwarded(headers),
    client: headers['x-earshot-client'] === 'mcp' ? 'mcp' : null,
    isDelivery: headers['x-service-delivery'] !== undefined,
    path: request.params as Record<string, string | undefined>,
  }
}
