import { timingSafeEqual } from 'node:crypto'
import type { Tx } from '@earshot/db'
import { findOAuthClient, type OAuthClientRow } from '@earshot/db/oauth'
import { hashToken } from '../auth/token-values.ts'
import type { Parameters } from './parameters.ts'
import { OAuthRefusal } from './refusal.ts'

/** The client id and secret of a request. Without a secret the client claims to be public. */
export interface ClientClaim {
  clientId: string
  clientSecret: string | undefined
}

/** Reads the claim from the header `Authorization: Basic` or from the body. Throws `invalid_client`, `invalid_request`. */
export function readClaim(authorization: string | undefined, { client_id, client_secret }: Parameters): ClientClaim {
  if (authorization === undefined) {
    if (client_id === undefined) throw new OAuthRefusal('invalid_client')
    return { clientId: client_id, clientSecret: client_secret }
  }
  // One way at a time (RFC 6749 §2.3).
  if (client_secret !== undefined) throw new OAuthRefusal('invalid_request', { detail: 'The client authenticates in two ways at once.' })
  const claim = readBasic(authorization)
  if (claim === null) throw new OAuthRefusal('invalid_client')
  if (client_id !== undefined && client_id !== claim.clientId) {
    throw new OAuthRefusal('invalid_request', { detail: 'client_id differs from the authenticated client.' })
  }
  return claim
}

/** Returns the client of a valid claim, else null. Confidential clients must send their secret; public ones have none. */
export async function findClaimedClient(tx: Tx, { clientId, clientSecret }: ClientClaim): Promise<OAuthClientRow | null> {
  const client = await findOAuthClient(tx, clientId)
  if (client === null) return null
  const { secret_hash } = client
  if (secret_hash === null) return clientSecret === undefined ? client : null
  return clientSecret !== undefined && timingSafeEqual(hashToken(clientSecret), secret_hash) ? client : null
}

/** Returns the client of a claim. Throws `invalid_client`. */
export async function requireClient(tx: Tx, claim: ClientClaim): Promise<OAuthClientRow> {
  const client = await findClaimedClient(tx, claim)
  if (client === null) throw new OAuthRefusal('invalid_client')
  return client
}

/** Reads id and secret, which are form-encoded inside Basic (RFC 6749 §2.3.1): a client may write `_` as `%5F`. */
function readBasic(authorization: string): ClientClaim | null {
  const encoded = authorization.match(/^basic +([A-Za-z0-9+/]+=*) *$/i)?.[1]
  if (encoded === undefined) return null
  const [, id = '', secret = ''] =
    Buffer.from(encoded, 'base64')
      .toString('utf8')
      .match(/^([\x20-\x39\x3b-\x7e]+):([\x20-\x7e]*)$/) ?? []
  const clientId = formDecode(id)
  const clientSecret = formDecode(secret)
  if (!clientId || clientSecret === null) return null
  return { clientId, clientSecret: clientSecret === '' ? undefined : clientSecret }
}

function formDecode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    return /^[\x20-\x7e]*$/.test(decoded) ? decoded : null
  } catch {
    return null
  }
}
