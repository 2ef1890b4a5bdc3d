import { type ActiveToken, inspectOAuthToken } from '@earshot/db/oauth'
import type { FastifyInstance } from 'fastify'
import { hashToken } from '../auth/token-values.ts'
import type { PageOptions } from '../pages/page-request.ts'
import { readClaim, requireClient } from './client.ts'
import { readParameters, requireParameter } from './parameters.ts'
import { INTROSPECTION_PATH } from './paths.ts'
import { OAuthRefusal } from './refusal.ts'

/** The endpoint where a confidential client inspects its own tokens (RFC 7662). Tokens of other clients are inactive. */
export function registerIntrospection(scope: FastifyInstance, { database, baseUrl }: PageOptions): void {
  scope.post(INTROSPECTION_PATH, async (request) => {
    const parameters = readParameters(request)
    const client = await requireClient(database, readClaim(request.headers.authorization, parameters))
    // Anybody can claim to be a public client, so anybody could test tokens that they found (RFC 7662 §2.1).
    if (client.secret_hash === null) throw new OAuthRefusal('invalid_client')
    const token = await inspectOAuthToken(database, { hash: hashToken(requireParameter(parameters, 'token')), clientId: client.id })
    return token === null ? { active: false } : presentToken(token, baseUrl)
  })
}

function presentToken({ kind, scopes, expires_at, user_id, client_id, resource }: ActiveToken, issuer: string) {
  return {
    active: true,
    scope: scopes.join(' '),
    client_id,
    ...(kind === 'access' && { token_type: 'Bearer' }),
    exp: Math.floor(Date.parse(expires_at) / 1_000),
    sub: user_id,
    iss: issuer,
    ...(resource !== null && { aud: resource }),
  }
}
