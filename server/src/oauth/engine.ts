import OAuth2Server from '@node-oauth/oauth2-server'
import { deviceGrant } from './device-grant.ts'
import { DEVICE_CODE } from './grant-types.ts'
import { lifetimes } from './lifetimes.ts'
import { type Consent, consentModel, tokenModel } from './model.ts'
import type { Parameters } from './parameters.ts'
import { refreshGrant } from './refresh-grant.ts'
import type { GrantContext } from './token-pair.ts'

/** The body of a token response (RFC 6749 §5.1). */
export type TokenResponse = Readonly<Record<string, unknown>>

/**
 * Runs a token request through the engine, which finds the client by our model, dispatches the grant and verifies PKCE; the
 * grants that must be one atomic step are our own. Throws what `toRefusal` understands.
 */
export async function exchangeToken(context: GrantContext, parameters: Parameters): Promise<TokenResponse> {
  const engine = new OAuth2Server({
    model: tokenModel(context.database),
    accessTokenLifetime: lifetimes.access,
    refreshTokenLifetime: lifetimes.refresh,
    // Whether a client must show a secret is the client's affair, not the grant's: the model decides.
    requireClientAuthentication: { authorization_code: false, refresh_token: false, [DEVICE_CODE]: false },
    extendedGrantTypes: { refresh_token: refreshGrant(context), [DEVICE_CODE]: deviceGrant(context) },
  })
  const response = new OAuth2Server.Response()
  await engine.token(engineRequest(parameters), response)
  return response.body as TokenResponse
}

/** Has the engine judge once more what a person allowed, against the client as it is now, and keep a code for it; gives the code. */
export async function issueCode(consent: Consent): Promise<string> {
  const engine = new OAuth2Server({
    model: consentModel(consent),
    authenticateHandler: { handle: () => ({ id: consent.actor.userId }) },
    allowEmptyState: true,
  })
  const { clientId, redirectUri, scopes, codeChallenge } = consent.question
  const request = engineRequest({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: scopes.join(' '),
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  })
  const { authorizationCode } = await engine.authorize(request, new OAuth2Server.Response())
  return authorizationCode
}

/** The engine reads forms alone, and takes whatever a body holds: it gets texts that were checked. */
function engineRequest(parameters: Parameters): OAuth2Server.Request {
  return new OAuth2Server.Request({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' },
    query: {},
    body: { ...parameters },
  })
}
