import { EarshotConnectionError } from '@earshot/contracts/client'
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  type DeviceAuthorizationResponse,
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  discoveryRequest,
  None,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
  processDiscoveryResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import type { OAuthCredential } from './profiles.ts'

/** The public client that every Earshot knows. */
const CLIENT = { client_id: 'earshot-cli' }
const TIMEOUT_MS = 30_000

/** The service refused a request of OAuth, with a code of RFC 6749 or RFC 8628. */
export { ResponseBodyError as OAuthRefusal }

/** The answer is not that of an Earshot. */
class NotEarshotError extends Error {
  override readonly name = 'NotEarshotError'
}

/** A service where people allow devices to act for them (RFC 8628). */
export interface OAuthService {
  /** Asks for a code that a person confirms in a browser. */
  begin: (scope: string | undefined) => Promise<DeviceAuthorizationResponse>
  /** Returns the tokens; throws an OAuthRefusal `authorization_pending` until the person has decided. */
  poll: (deviceCode: string) => Promise<OAuthCredential>
  /** Exchanges a refresh token, which works once. */
  refresh: (refreshToken: string) => Promise<OAuthCredential>
  revoke: (refreshToken: string) => Promise<void>
}

/** Reads the metadata of the service (RFC 8414). Throws a NotEarshotError when there are none, and what fetch throws when it is not reachable. */
export async function discover(url: string, signal?: AbortSignal): Promise<OAuthService> {
  const issuer = new URL(url)
  const response = await discoveryRequest(issuer, { algorithm: 'oauth2', ...optionsWith(signal) })
  if (response.status !== 200) throw new NotEarshotError(`${url} answers ${response.status} where an Earshot has its metadata`)
  const stated = await statedIssuer(response.clone())
  if (stated === undefined) throw new NotEarshotError(`${url} answers, but not as an Earshot`)
  if (stated !== url) throw new NotEarshotError(`${url} calls itself ${stated}. Sign in there: earshot login ${stated}`)
  return openService(await processDiscoveryResponse(issuer, response), signal)
}

/** Opens a service whose metadata were read before: its addresses are the same everywhere. */
export function openKnownService(url: string, signal?: AbortSignal): OAuthService {
  return openService({ issuer: url, token_endpoint: `${url}/o/token/`, revocation_endpoint: `${url}/o/revoke/` }, signal)
}

function openService(server: AuthorizationServer, signal: AbortSignal | undefined): OAuthService {
  const options = optionsWith(signal)
  const credentialOf = ({ access_token, refresh_token = '', expires_in = 0 }: TokenEndpointResponse): OAuthCredential => ({
    ...{ access_token, refresh_token },
    expires_at: new Date(Date.now() + expires_in * 1_000).toISOString(),
  })
  return {
    begin: async (scope) => {
      const response = await deviceAuthorizationRequest(server, CLIENT, None(), { ...(scope && { scope }) }, options)
      return processDeviceAuthorizationResponse(server, CLIENT, response)
    },
    poll: async (deviceCode) => {
      const response = await deviceCodeGrantRequest(server, CLIENT, None(), deviceCode, options)
      return credentialOf(await processDeviceCodeResponse(server, CLIENT, response))
    },
    refresh: async (refreshToken) => {
      const response = await refreshTokenGrantRequest(server, CLIENT, None(), refreshToken, options)
      return credentialOf(await processRefreshTokenResponse(server, CLIENT, response))
    },
    revoke: async (refreshToken) => {
      await processRevocationResponse(await revocationRequest(server, CLIENT, None(), refreshToken, options))
    },
  }
}

/** Plain http is for the service on one's own machine or network, as for all other commands. */
function optionsWith(signal: AbortSignal | undefined) {
  const timeout = () => AbortSignal.timeout(TIMEOUT_MS)
  return {
    [allowInsecureRequests]: true,
    [customFetch]: reach,
    headers: { 'user-agent': 'earshot-cli' },
    signal: () => (signal ? AbortSignal.any([signal, timeout()]) : timeout()),
  }
}

async function reach(address: string, init: object): Promise<Response> {
  try {
    return await fetch(address, init)
  } catch (cause) {
    const { code, message } = Object((cause as Error).cause ?? cause)
    throw new EarshotConnectionError(`${new URL(address).origin} is not reachable: ${code ?? message}.`, { cause })
  }
}

async function statedIssuer(response: Response): Promise<string | undefined> {
  try {
    const { issuer, device_authorization_endpoint } = Object(await response.json())
    return typeof issuer === 'string' && typeof device_authorization_endpoint === 'string' ? issuer : undefined
  } catch {
    return undefined
  }
}
