import type { AccountOfProfile } from './account.ts'
import { NotSignedInError } from './not-signed-in.ts'
import type { Credential, OAuthCredential } from './profiles.ts'
import { refreshed } from './refresh.ts'

/** An access token that expires sooner is renewed before it is sent. */
const MARGIN_MS = 30_000

/**
 * Returns a fetch that sends the access token of a profile. It renews it before it expires, and once more when the service does not
 * take it, as when the clock of this machine was changed. When the sign-in has ended, the service says so in its response.
 */
export function authorizedFetch(account: AccountOfProfile, fetch = globalThis.fetch): typeof globalThis.fetch {
  return async (address, init = {}) => {
    const used = await usable(account)
    const response = await fetch(address, authorized(init, used))
    if (!isRefused(response) || 'token' in used || !isRepeatable(init.body)) return response
    const next = await renewed(account, used)
    if (next === used) return response
    await response.body?.cancel()
    return fetch(address, authorized(init, next))
  }
}

function authorized(init: RequestInit, credential: Credential): RequestInit {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${'token' in credential ? credential.token : credential.access_token}`)
  return { ...init, headers }
}

/** Returns the credential as it is in the file now: other commands renew it, too. */
async function usable(account: AccountOfProfile): Promise<Credential> {
  const { profile, profiles, name } = account
  const credential = profiles.read(name)?.credential ?? profile.credential
  if (!credential) throw new NotSignedInError(`you are not signed in at ${profile.url}`)
  if ('token' in credential || Date.parse(credential.expires_at) > Date.now() + MARGIN_MS) return credential
  return renewed(account, credential)
}

/** Returns newer tokens, or the same ones when the sign-in has ended. */
async function renewed({ profiles, name }: AccountOfProfile, used: OAuthCredential): Promise<OAuthCredential> {
  try {
    return await refreshed({ profiles, name, exchange }, used)
  } catch (error) {
    if (error instanceof NotSignedInError) return used
    throw error
  }
}

async function exchange(url: string, refreshToken: string): Promise<OAuthCredential | 'refused'> {
  const { OAuthRefusal, openKnownService } = await import('./oauth.ts')
  try {
    return await openKnownService(url).refresh(refreshToken)
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
