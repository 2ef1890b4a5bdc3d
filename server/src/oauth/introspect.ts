import { type ActiveToken, inspectOAuthToken } from '@earshot/db'
import type { FastifyInstance } from 'fastify'
import { hashToken } from '../auth/token-values.ts'
import type { PageOptions } from '../pages/page-request.ts'
import { readClaim, requireClient } from './client.ts'
import { readParameters, requireParameter } from './parameters.ts'
import { INTROSPECTION_PATH } from './paths.ts'
import { OAuthRefusal } from './refusal.ts'

/** Where a client with a secret learns what a token of its own is worth (RFC 7662). Another's looks like none at all. */
export function registerIntrospection(scope: FastifyInstance, { database, baseUrl }: PageOptions): void {
  scope.post(INTROSPECTION_PATH, async (request) => {
    const parameters = readParameters(request)
    const client = await requireClient(database, readClaim(request.headers.authorization, parameters))
    // Anybody can speak for a public client: the answer would be for everybody who found a token (RFC 7662 §2.1).
    if (client.secret_hash === null) throw new OAuthRefusal('invalid_client')
    const token = await inspectOAuthToken(database, { hash: hashToken(requireParameter(parameters, 'token')), clientId: client.id })
    return token === null ? { active: false } : presentToken(token, baseUrl)
  })
}

function presentToken({ kind, scopes, expires_at, user_id, client_id }: ActiveToken, issuer: string) {
  return {
    active: true,
    scope: scopes.join(' '),
    client_id,
    ...(kind === 'access' && { token_type: 'Bearer' }),
    exp: Math.floor(Date.parse(expires_at) / 1_000),
    sub: user_id,
    iss: issuer,
  }
}
