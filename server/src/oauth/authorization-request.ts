import { ApiError, type Scope } from '@earshot/contracts'
import type { Tx } from '@earshot/db'
import { findOAuthClient, type OAuthClientRow } from '@earshot/db/oauth'
import { requireCarriable } from '../http/input.ts'
import { readScope } from './parameters.ts'
import { addParameters, matchesRedirectUri } from './redirect-uri.ts'
import { type OAuthErrorName, OAuthRefusal } from './refusal.ts'
import { readResource } from './resource.ts'
import { requireScopes } from './scopes.ts'

const STATE_CHARACTERS = 4_096
const VISIBLE = /^[\x20-\x7e]*$/
/** SHA-256 in base64url, which has no padding (RFC 7636 §4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const NAMES = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
] as const

type Parameter = (typeof NAMES)[number]

/** A client's request for a person's authorization. */
export interface AuthorizationRequest {
  client: OAuthClientRow
  redirectUri: string
  state: string | null
  scopes: readonly Scope[]
  codeChallenge: string
  /** The resource that the client wants to use (RFC 8707); null when it named none. */
  resource: string | null
}

/** A redirect URI that is registered for the client, with the state of the request. */
export type ReturnAddress = Pick<AuthorizationRequest, 'redirectUri' | 'state'>

/** A request that can be shown to the person, or the error to redirect with. */
export type ReadRequest = AuthorizationRequest | { refusal: OAuthErrorName; redirectUri: string; state: string | null }

/**
 * Reads an authorization request (RFC 6749 §4.1.1). An invalid client or redirect_uri throws, because the service must not
 * redirect then (§4.1.2.1); the error is shown as a page.
 */
export async function readAuthorizationRequest(tx: Tx, query: string, baseUrl: string): Promise<ReadRequest> {
  const { once, repeated } = collect(query)
  const { client_id, redirect_uri, state } = once
  if (client_id === undefined || repeated.has('client_id') || !VISIBLE.test(client_id)) throw wrong('did not send a valid client_id')
  if (redirect_uri === undefined || repeated.has('redirect_uri')) throw wrong('did not send a redirect_uri')
  // The state must be returned unchanged, so it has to fit into a page and an address.
  if (state !== undefined && (state.length > STATE_CHARACTERS || !VISIBLE.test(state))) {
    throw wrong(`sent a state that is longer than ${STATE_CHARACTERS} characters or not printable ASCII`)
  }
  const client = await findOAuthClient(tx, client_id)
  if (client === null) throw wrong('is not registered')
  if (!matchesRedirectUri(client.redirect_uris, redirect_uri)) throw wrong('sent a redirect_uri that is not registered')
  const address = { redirectUri: redirect_uri, state: repeated.has('state') ? null : (state ?? null) }
  try {
    return { client, ...address, ...readRest(client, once, repeated), resource: readResource(once, baseUrl) }
  } catch (error) {
    if (error instanceof OAuthRefusal) return { refusal: error.error, ...address }
    throw error
  }
}

/** Returns the redirect URI with the parameters of the response and its issuer (RFC 9207 §2). */
export function responseUri({ redirectUri, state }: ReturnAddress, parameters: Readonly<Record<string, string>>, issuer: string): string {
  return addParameters(redirectUri, { ...parameters, ...(state !== null && { state }), iss: issuer })
}

function readRest(client: OAuthClientRow, once: Partial<Record<Parameter, string>>, repeated: ReadonlySet<string>) {
  // Request parameters MUST NOT be included more than once (RFC 6749 §3.1).
  if (repeated.size > 0 || once.response_type === undefined) throw new OAuthRefusal('invalid_request')
  if (once.response_type !== 'code') throw new OAuthRefusal('unsupported_response_type')
  if (!client.grant_types.includes('authorization_code')) throw new OAuthRefusal('unauthorized_client')
  // Only S256: the default method, `plain`, does not protect the code (RFC 9700 §2.1.1).
  const { code_challenge: codeChallenge = '', code_challenge_method: method } = once
  if (method !== 'S256' || !CHALLENGE.test(codeChallenge)) throw new OAuthRefusal('invalid_request')
  return { codeChallenge, scopes: requireScopes(client, readScope(once)) }
}

/** Collects the known parameters. One without a value counts as absent; unknown ones are ignored (RFC 6749 §3.1). */
function collect(query: string): { once: Partial<Record<Parameter, string>>; repeated: ReadonlySet<string> } {
  const given = new URLSearchParams(query)
  const once: Partial<Record<Parameter, string>> = {}
  const repeated = new Set<string>()
  for (const name of NAMES) {
    const values = given.getAll(name)
    if (values.length > 1) repeated.add(name)
    if (values[0]) once[name] = values[0]
  }
  requireCarriable(once)
  return { once, repeated }
}

function wrong(what: string): ApiError {
  return new ApiError('validation_error', { detail: `The application that sent you here ${what}. Contact its developer.` })
}
