import type { AccountOfProfile } from './account.ts'
import type { Credential, OAuthCredential } from './profiles.ts'
import { credentialOf, refreshed } from './refresh.ts'

type Fetch = typeof globalThis.fetch

/** An access token that expires sooner is renewed before it is sent. */
const MARGIN_MS = 30_000
/** Less than other commands wait for the new tokens. */
const EXCHANGE_MS = 15_000

/**
 * Returns a fetch that sends the access token of a profile. It renews it before it expires, and once more when the service does not
 * take it, as when the clock of this machine was changed. Throws a NotSignedInError when the sign-in has ended.
 */
export function authorizedFetch(account: AccountOfProfile, fetch = globalThis.fetch): Fetch {
  return async (address, init = {}) => {
    const renewed = renewing(account, fetch, init.signal)
    const credential = credentialOf(account)
    const used = expiresSoon(credential) ? await renewed(credential) : credential
    const response = await fetch(address, authorized(init, used))
    if (!isRefused(response) || 'token' in used || !isRepeatable(init.body)) return response
    const next = await renewed(used)
    await response.body?.cancel()
    return fetch(address, authorized(init, next))
  }
}

function authorized(init: RequestInit, credential: Credential): RequestInit {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${'token' in credential ? credential.token : credential.access_token}`)
  return { ...init, headers }
}

function expiresSoon(credential: Credential): credential is OAuthCredential {
  return !('token' in credential) && Date.parse(credential.expires_at) <= Date.now() + MARGIN_MS
}

/** Returns what renews tokens. The signal of a request ends its wait for another command, and never an exchange: that would lose the tokens. */
function renewing({ profiles, name, url, waitMs }: AccountOfProfile, fetch: Fetch, signal: RequestInit['signal']) {
  const exchange = (token: string) => exchanged(url, token, fetch)
  return (used: OAuthCredential) => refreshed({ profiles, name, url, waitMs, signal, exchange }, used)
}

async function exchanged(url: string, refreshToken: string, fetch: Fetch): Promise<OAuthCredential | 'refused'> {
  const { OAuthRefusal, openKnownService } = await import('./oauth.ts')
  try {
    return await openKnownService(url, { fetch, signal: AbortSignal.timeout(EXCHANGE_MS) }).refresh(refreshToken)
  } catch (error) {
    if (error instanceof OAuthRefusal && error.error === 'invalid_grant') return 'refused'
    throw error
  }
}

/** Whether the service does not take the token (RFC 6750 §3.1). */
function isRefused(response: Response): boolean {
  return response.status === 401 && /error="invalid_token"/.test(response.headers.get('www-authenticate') ?? '')
}

/** A stream was read by the first attempt. */
function isRepeatable(body: RequestInit['body']): boolean {
  return body === undefined || body === null || typeof body === 'string' || body instanceof Uint8Array
}
