import type { FastifyInstance } from 'fastify'
import type { PageOptions } from '../pages/page-request.ts'
import { readClaim } from './client.ts'
import { grantParameters } from './grant-types.ts'
import { readParameters, requireParameter } from './parameters.ts'
import { TOKEN_PATH } from './paths.ts'
import { OAuthRefusal } from './refusal.ts'
import { readResource } from './resource.ts'

/** The token endpoint (RFC 6749 §3.2). */
export function registerToken(scope: FastifyInstance, { database, services, baseUrl }: PageOptions): void {
  scope.post(TOKEN_PATH, async (request) => {
    const { client_id: _id, client_secret: _secret, ...parameters } = readParameters(request)
    const grantType = requireParameter(parameters, 'grant_type')
    // Before the client, because the engine would report an unknown grant of an unknown client as an invalid client.
    if (!Object.hasOwn(grantParameters, grantType)) throw new OAuthRefusal('unsupported_grant_type')
    const { clientId, clientSecret } = readClaim(request.headers.authorization, readParameters(request))
    for (const name of grantParameters[grantType] ?? []) requireParameter(parameters, name)
    // Every resource is served by this service, so that the grant alone says which one it is for.
    readResource(parameters, baseUrl)
    // The engine is loaded when somebody needs it.
    const { exchangeToken } = await import('./engine.ts')
    return exchangeToken(
      { database, reuseLeewaySeconds: services.reuseLeewaySeconds },
      { ...parameters, client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) },
    )
  })
}
