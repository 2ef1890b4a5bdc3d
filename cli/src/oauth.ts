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

/** The service refused a request of OAuth. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal'
  /** Of RFC 6749 §5.2 or RFC 8628 §3.5, such as `authorization_pending`. */
  readonly error: string

  constructor(code: string, description: string | undefined) {
    super(`the service refused the sign-in: ${description ? `${description} (${code})` : code}`)
    this.error = code
  }
}

/** The answer is not that of an Earshot. */
class NotEarshotError extends Error {
  override readonly name = 'NotEarshotError'
}

/** How requests are sent, and what ends them early. */
interface Sending {
  fetch?: typeof fetch | undefined
  signal?: AbortSignal
}

/**
 * A service where people allow devices to act for them (RFC 8628). Its methods throw an OAuthRefusal when it refuses, an
 * EarshotConnectionError when it is away or cannot answer now, and a NotEarshotError when something else answers.
 */
export interface OAuthService {
  /** Asks for a code that a person confirms in a browser. */
  begin: (scope: string | undefined) => Promise<DeviceAuthorizationResponse>
  /** Returns the tokens; throws an OAuthRefusal `authorization_pending` until the person has decided. */
  poll: (deviceCode: string) => Promise<OAuthCredential>
  /** Exchanges a refresh token, which works once. */
  refresh: (refreshToken: string) => Promise<OAuthCredential>
  revoke: (refreshToken: string) => Promise<void>
}

/** Reads the metadata of the service (RFC 8414). Throws as the methods of the service do. */
export async function discover(url: string, sending: Sending): Promise<OAuthService> {
  const issuer = new URL(url)
  const response = await discoveryRequest(issuer, { algorithm: 'oauth2', ...optionsWith(sending) })
  if (response.status !== 200) throw new NotEarshotError(`${url} is not an Earshot service (${response.status} for its OAuth metadata)`)
  const stated = await statedIssuer(response.clone())
  if (stated === undefined) throw new NotEarshotError(`${url} is not an Earshot service`)
  if (stated !== url)
    throw new NotEarshotError(`${url} is not the address of this service. ${isPlain(stated) ? `It is ${stated}` : ''}`.trim())
  return openService(await understood(url, processDiscoveryResponse(issuer, response)), sending)
}

/** Opens a service whose metadata were read before: its addresses are the same everywhere. */
export function openKnownService(url: string, sending: Sending): OAuthService {
  return openService({ issuer: url, token_endpoint: `${url}/o/token/`, revocation_endpoint: `${url}/o/revoke/` }, sending)
}

function openService(server: AuthorizationServer, sending: Sending): OAuthService {
  const options = optionsWith(sending)
  const { issuer } = server
  const credentialOf = ({ access_token, refresh_token = '', expires_in = 0 }: TokenEndpointResponse): OAuthCredential => ({
    ...{ access_token, refresh_token },
    expires_at: new Date(Date.now() + expires_in * 1_000).toISOString(),
  })
  return {
    begin: async (scope) => {
      const response = await deviceAuthorizationRequest(server, CLIENT, None(), { ...(scope && { scope }) }, options)
      return understood(issuer, processDeviceAuthorizationResponse(server, CLIENT, response))
    },
    poll: async (deviceCode) => {
      const response = await deviceCodeGrantRequest(server, CLIENT, None(), deviceCode, options)
      return credentialOf(await understood(issuer, processDeviceCodeResponse(server, CLIENT, response)))
    },
    refresh: async (refreshToken) => {
      const response = await refreshTokenGrantRequest(server, CLIENT, None(), refreshToken, options)
      return credentialOf(await understood(issuer, processRefreshTokenResponse(server, CLIENT, response)))
    },
    revoke: async (refreshToken) => {
      const response = await revocationRequest(server, CLIENT, None(), refreshToken, options)
      await understood(issuer, processRevocationResponse(response))
    },
  }
}

/** Returns what the service said. Throws an OAuthRefusal, or a NotEarshotError when it is no answer of OAuth. */
async function understood<Answer>(url: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ResponseBodyError) throw new OAuthRefusal(error.error, error.error_description)
    throw new NotEarshotError(`${url} does not answer as an Earshot service`, { cause: error })
  }
}

function optionsWith({ fetch = globalThis.fetch, signal }: Sending) {
  const timeout = () => AbortSignal.timeout(TIMEOUT_MS)
  return {
    // For the service on one's own machine or network, as for all other commands.
    [allowInsecureRequests]: true,
    [customFetch]: (address: string, init: object) => reach(fetch, address, init),
    headers: { 'user-agent': 'earshot-cli' },
    signal: () => (signal ? AbortSignal.any([signal, timeout()]) : timeout()),
  }
}

async function reach(send: typeof fetch, address: string, init: object): Promise<Response> {
  const { origin, pathname } = new URL(address)
  const response = await send(address, init).catch((cause) => {
    throw new EarshotConnectionError(`${origin} is not reachable: ${reasonOf(cause)}.`, { cause })
  })
  // Neither says anything about the sign-in.
  if (response.status < 500 && response.status !== 429) return response
  await response.body?.cancel()
  throw new EarshotConnectionError(`${origin} responded with ${response.status} to ${pathname}.`)
}

function reasonOf(error: Error): string {
  if (error.name === 'TimeoutError') return 'no response in time'
  const { code, message } = Object(error.cause ?? error)
  return typeof code === 'string' ? code : message
}

/** Whether an address of another server can be shown as one to use: nothing in it means anything to a shell. */
function isPlain(address: string): boolean {
  return /^https?:\/\/[\w.:/[\]-]+$/.test(address)
}

async function statedIssuer(response: Response): Promise<string | undefined> {
  try {
    const { issuer, device_authorization_endpoint } = Object(await response.json())
    return typeof issuer === 'string' && typeof device_authorization_endpoint === 'string' ? issuer : undefined
  } catch {
    return undefined
  }
}
