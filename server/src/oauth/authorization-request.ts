import { ApiError, type Scope } from '@earshot/contracts'
import type { Tx } from '@earshot/db'
import { findOAuthClient, type OAuthClientRow } from '@earshot/db/oauth'
import { requireCarriable } from '../http/input.ts'
import { readScope } from './parameters.ts'
import { addParameters, matchesRedirectUri } from './redirect-uri.ts'
import { type OAuthErrorName, OAuthRefusal } from './refusal.ts'
import { requireScopes } from './scopes.ts'

const STATE_CHARACTERS = 4_096
const VISIBLE = /^[\x20-\x7e]*$/
/** SHA-256 in base64url, which has no padding (RFC 7636 §4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const NAMES = ['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'] as const

type Parameter = (typeof NAMES)[number]

/** What a client asks a person for. */
export interface AuthorizationRequest {
  client: OAuthClientRow
  redirectUri: string
  state: string | null
  scopes: readonly Scope[]
  codeChallenge: string
}

/** Where an answer goes: to an address that was proven to be the client's. */
export type ReturnAddress = Pick<AuthorizationRequest, 'redirectUri' | 'state'>

/** A request that can be shown to the person, or where to send them with the error. */
export type ReadRequest = AuthorizationRequest | { refusal: OAuthErrorName; redirectUri: string; state: string | null }

/**
 * Reads an authorization request (RFC 6749 §4.1.1). Until client and redirect_uri are proven, nobody is sent anywhere
 * (§4.1.2.1): what is wrong before is thrown, and told on a page.
 */
export async function readAuthorizationRequest(tx: Tx, query: string): Promise<ReadRequest> {
  const { once, repeated } = collect(query)
  const { client_id, redirect_uri, state } = once
  if (client_id === undefined || repeated.has('client_id') || !VISIBLE.test(client_id)) throw wrong('does not say who it is')
  if (redirect_uri === undefined || repeated.has('redirect_uri')) throw wrong('does not say where to lead you back to')
  // It must be given back as it came, which a page of any length or alphabet cannot promise.
  if (state !== undefined && (state.length > STATE_CHARACTERS || !VISIBLE.test(state))) {
    throw wrong(`has a state of more than ${STATE_CHARACTERS} characters, or of other than visible ASCII`)
  }
  const client = await findOAuthClient(tx, client_id)
  if (client === null) throw wrong('is not known here')
  if (!matchesRedirectUri(client.redirect_uris, redirect_uri)) throw wrong('wants to lead you to an address that is not registered for it')
  const address = { redirectUri: redirect_uri, state: repeated.has('state') ? null : (state ?? null) }
  try {
    return { client, ...address, ...readRest(client, once, repeated) }
  } catch (error) {
    if (error instanceof OAuthRefusal) return { refusal: error.error, ...address }
    throw error
  }
}

/** The address with the answer, which names who gives it (RFC 9207 §2). */
export function answerTo({ redirectUri, state }: ReturnAddress, answer: Readonly<Record<string, string>>, issuer: string): string {
  return addParameters(redirectUri, { ...answer, ...(state !== null && { state }), iss: issuer })
}

function readRest(client: OAuthClientRow, once: Partial<Record<Parameter, string>>, repeated: ReadonlySet<string>) {
  // Request parameters MUST NOT be included more than once (RFC 6749 §3.1).
  if (repeated.size > 0 || once.response_type === undefined) throw new OAuthRefusal('invalid_request')
  if (once.response_type !== 'code') throw new OAuthRefusal('unsupported_response_type')
  if (!client.grant_types.includes('authorization_code')) throw new OAuthRefusal('unauthorized_client')
  // S256 alone: without a method it would be `plain`, which protects nothing here (RFC 9700 §2.1.1).
  const { code_challenge: codeChallenge = '', code_challenge_method: method } = once
  if (method !== 'S256' || !CHALLENGE.test(codeChallenge)) throw new OAuthRefusal('invalid_request')
  return { codeChallenge, scopes: requireScopes(client, readScope(once)) }
}

/** Those of ours; one without a value is one that is absent, and the others are ignored (RFC 6749 §3.1). */
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
  return new ApiError('validation_error', { detail: `The application that sent you here ${what}. Go back to it and tell its maker.` })
}
