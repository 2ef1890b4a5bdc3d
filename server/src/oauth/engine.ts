import OAuth2Server from '@node-oauth/oauth2-server'
import { deviceGrant } from './device-grant.ts'
import { DEVICE_CODE } from './grant-types.ts'
import { lifetimes } from './lifetimes.ts'
import { type Consent, consentModel, tokenModel } from './model.ts'
import type { Parameters } from './parameters.ts'
import { refreshGrant } from './refresh-grant.ts'
import { isOAuthErrorName, type OAuthErrorName, OAuthRefusal } from './refusal.ts'
import type { GrantContext } from './token-pair.ts'

/** The body of a token response (RFC 6749 §5.1). */
export type TokenResponse = Readonly<Record<string, unknown>>

/**
 * Runs a token request through the engine, which finds the client with our model, dispatches the grant and verifies PKCE.
 * Grants that must be one atomic step are our own.
 */
export async function exchangeToken(context: GrantContext, parameters: Parameters): Promise<TokenResponse> {
  const engine = new OAuth2Server({
    model: tokenModel(context.database),
    accessTokenLifetime: lifetimes.access,
    refreshTokenLifetime: lifetimes.refresh,
    // Whether a secret is required depends on the client, not on the grant: the model decides.
    requireClientAuthentication: { authorization_code: false, refresh_token: false, [DEVICE_CODE]: false },
    extendedGrantTypes: { refresh_token: refreshGrant(context), [DEVICE_CODE]: deviceGrant(context) },
  })
  const response = new OAuth2Server.Response()
  await engine.token(engineRequest(parameters), response).catch(rethrow)
  return response.body as TokenResponse
}

/** Validates a person's decision once more against the current client, stores a code for it and returns the code. */
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
  const { authorizationCode } = await engine.authorize(request, new OAuth2Server.Response()).catch(rethrow)
  return authorizationCode
}

/** Throws the engine's refusals as ours, and what the model or a grant threw as it was: the engine wraps it. */
function rethrow(thrown: unknown): never {
  if (!(thrown instanceof OAuth2Server.OAuthError)) throw thrown
  const { inner } = thrown as { inner?: unknown }
  if (inner) return rethrow(inner)
  throw thrown.code < 500 ? new OAuthRefusal(nameOf(thrown)) : thrown
}

/**
 * Parameters were validated before the engine saw them, so its invalid request means a verifier or redirect_uri that does
 * not match the code: an invalid grant (RFC 6749 §5.2, RFC 7636 §4.6).
 */
function nameOf({ name }: OAuth2Server.OAuthError): OAuthErrorName {
  if (name === 'invalid_request') return 'invalid_grant'
  return isOAuthErrorName(name) ? name : 'server_error'
}

/** Creates a request for the engine, which reads only forms and does not validate their values. */
function engineRequest(parameters: Parameters): OAuth2Server.Request {
  return new OAuth2Server.Request({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' },
    query: {},
    body: { ...parameters },
  })
}
