import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { NotSignedInError } from './not-signed-in.ts'
import type { OAuthCredential, Profile, Profiles } from './profiles.ts'

/** How long a command waits for the tokens that another one fetches. */
const WAIT_MS = 20_000
const LOOK_MS = 50

/** What a refresh needs of the authorization server. */
export interface Refreshing {
  profiles: Profiles
  name: string
  /** Exchanges a refresh token; throws an OAuthRefusal when the service refuses it. */
  exchange: (url: string, refreshToken: string) => Promise<OAuthCredential | 'refused'>
  waitMs?: number
}

/**
 * Returns tokens newer than those of `used`, from another command or from the service. A refresh token works once: a second use
 * ends the sign-in (RFC 9700 §4.14.2). So the right to send one belongs to the command that creates a file named after it, and is
 * never taken from it: a lock that is broken when it seems stale lets two commands send the same token. If a command is killed
 * meanwhile, the person signs in again.
 */
export async function refreshed(refreshing: Refreshing, used: OAuthCredential): Promise<OAuthCredential> {
  const claim = join(refreshing.profiles.folder, `${refreshing.name}.${hashOf(used.refresh_token)}.claim`)
  const endMs = performance.now() + (refreshing.waitMs ?? WAIT_MS)
  while (!create(claim)) {
    if (performance.now() > endMs)
      throw new NotSignedInError('another command that was renewing the sign-in did not end. Sign in again: earshot login')
    await delay(LOOK_MS)
    const { credential } = current(refreshing)
    if (credential.refresh_token !== used.refresh_token) return credential
  }
  try {
    return await exchanged(refreshing, used)
  } finally {
    rmSync(claim, { force: true })
  }
}

async function exchanged({ exchange, ...place }: Refreshing, used: OAuthCredential): Promise<OAuthCredential> {
  // Another command may have ended its refresh just before.
  const { profile, credential } = current(place)
  if (credential.refresh_token !== used.refresh_token) return credential
  const next = await exchange(profile.url, used.refresh_token)
  if (next !== 'refused') {
    place.profiles.write(place.name, { ...profile, credential: next })
    return next
  }
  const { credential: _ended, ...rest } = profile
  place.profiles.write(place.name, rest)
  throw signedOut(profile)
}

/** Returns the profile as it is now. Throws a NotSignedInError when it was signed out meanwhile. */
function current({ profiles, name }: Pick<Refreshing, 'profiles' | 'name'>): { profile: Profile; credential: OAuthCredential } {
  const profile = profiles.read(name)
  const { credential } = profile ?? {}
  if (!profile || !credential || 'token' in credential) throw signedOut(profile)
  return { profile, credential }
}

/** The sign-in has ended, at the service or by `earshot logout`. */
export function signedOut(profile: Profile | undefined): NotSignedInError {
  const place = profile ? ` at ${profile.url}` : ''
  return new NotSignedInError(`you are not signed in${place} any more. Sign in again: earshot login${profile ? ` ${profile.url}` : ''}`)
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 32)
}

function create(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
