import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync, statSync } from 'node:fs'
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
  /** Exchanges a refresh token, in less than the others wait. */
  exchange: (url: string, refreshToken: string) => Promise<OAuthCredential | 'refused'>
  waitMs?: number
}

/** A profile that is signed in by OAuth, and where it is kept. */
interface Place {
  profiles: Profiles
  name: string
  waitMs?: number | undefined
}

/**
 * Returns tokens newer than those of `used`, from another command or from the service. A refresh token works once: a second use
 * ends the sign-in (RFC 9700 §4.14.2). So the right to send one belongs to the command that creates a file named after it, and is
 * never taken from it: a lock that is broken when it seems stale lets two commands send the same token. If a command is killed
 * meanwhile, the first one that waited for it ends the sign-in here, and the person signs in again.
 */
export async function refreshed({ exchange, ...place }: Refreshing, used: OAuthCredential): Promise<OAuthCredential> {
  using claim = await claimed(place, used)
  if (!claim) return current(place).credential
  const { url } = current(place).profile
  const next = await exchange(url, used.refresh_token)
  // Somebody may have signed in or out meanwhile.
  const { profile, credential } = current(place)
  if (credential.refresh_token !== used.refresh_token) return credential
  const { credential: _used, ...rest } = profile
  place.profiles.write(place.name, next === 'refused' ? rest : { ...rest, credential: next })
  if (next === 'refused') throw signedOut(profile)
  return next
}

/** Changes what a profile says beside its credential, while no command renews that. */
export async function changeProfile(place: Place, change: (profile: Profile) => Profile): Promise<void> {
  for (;;) {
    const profile = place.profiles.read(place.name)
    if (!profile) throw signedOut(undefined)
    const { credential } = profile
    if (!credential || 'token' in credential) return place.profiles.write(place.name, change(profile))
    using claim = await claimed(place, credential)
    if (claim) return place.profiles.write(place.name, change(current(place).profile))
  }
}

/**
 * Waits for the right to use a refresh token. Returns undefined when the profile has another one meanwhile. When a command has the
 * right and does not end, its sign-in is lost: it is removed from the profile, and a NotSignedInError says so.
 */
async function claimed(place: Place, used: OAuthCredential): Promise<Disposable | undefined> {
  const path = join(place.profiles.folder, `${place.name}.${hashOf(used.refresh_token)}.claim`)
  const release = () => rmSync(path, { force: true })
  let holder: number | undefined
  let untilMs = 0
  for (;;) {
    const isTaken = create(path)
    const profile = place.profiles.read(place.name)
    if (!profile || !hasToken(profile, used)) {
      if (isTaken) release()
      return undefined
    }
    if (isTaken) return { [Symbol.dispose]: release }
    const present = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (present !== holder) untilMs = performance.now() + (place.waitMs ?? WAIT_MS)
    holder = present
    if (performance.now() > untilMs) {
      const { credential: _lost, ...rest } = profile
      place.profiles.write(place.name, rest)
      release()
      throw new NotSignedInError(
        `another command started to renew the sign-in and never finished. Sign in again: earshot login ${profile.url}`,
      )
    }
    await delay(LOOK_MS)
  }
}

function hasToken({ credential }: Profile, { refresh_token }: OAuthCredential): boolean {
  return credential !== undefined && 'refresh_token' in credential && credential.refresh_token === refresh_token
}

/** Returns the profile as it is now. Throws a NotSignedInError when it was signed out meanwhile. */
function current({ profiles, name }: Place): { profile: Profile; credential: OAuthCredential } {
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
