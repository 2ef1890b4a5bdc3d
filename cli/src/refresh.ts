import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileError } from './file-error.ts'
import { NotSignedInError } from './not-signed-in.ts'
import type { Credential, OAuthCredential, Profile, Profiles } from './profiles.ts'

/** How long a command waits for the tokens that another one fetches. */
export const WAIT_MS = 20_000
const LOOK_MS = 50

/** A profile, and the service that it was read for. */
interface Place {
  profiles: Profiles
  name: string
  /** The address that the credential is for. */
  url: string
  waitMs?: number | undefined
  /** Ends the wait for another command. */
  signal?: AbortSignal | null | undefined
}

/** What a refresh needs of the authorization server. */
export interface Refreshing extends Place {
  /** Exchanges a refresh token, in less than the others wait. */
  exchange: (refreshToken: string) => Promise<OAuthCredential | 'refused'>
}

/**
 * Returns a credential newer than `used`, from another command or from the service. A refresh token works once: a second use ends the
 * sign-in (RFC 9700 §4.14.2). So the right to send one belongs to the command that creates a file named after it, and is never taken
 * from it: a lock that is broken when it seems stale lets two commands send the same token. If a command is killed meanwhile, the first
 * one that waited for it ends the sign-in here, and the person signs in again.
 */
export async function refreshed({ exchange, ...place }: Refreshing, used: OAuthCredential): Promise<Credential> {
  using claim = await claimed(place, used)
  if (!claim) return credentialOf(place)
  const next = await exchange(used.refresh_token)
  const profile = place.profiles.read(place.name)
  // Somebody has signed in or out meanwhile.
  if (!isOf(profile, place, used)) return credentialOf(place)
  const { credential: _used, ...rest } = profile
  place.profiles.write(place.name, next === 'refused' ? rest : { ...rest, credential: next })
  if (next === 'refused') throw signedOut(profile)
  return next
}

/** Returns the credential that the profile has now. Throws a NotSignedInError when it has none, or is of another service. */
export function credentialOf({ profiles, name, url }: Place): Credential {
  const profile = profiles.read(name)
  if (!profile?.credential || profile.url !== url) throw signedOut({ url })
  return profile.credential
}

/** Changes what a profile says beside its credential, while no command renews that. */
export async function changeProfile(
  { profiles, name, waitMs }: Pick<Place, 'profiles' | 'name' | 'waitMs'>,
  change: (profile: Profile) => Profile,
): Promise<void> {
  for (;;) {
    const profile = profiles.read(name)
    if (!profile) throw signedOut(undefined)
    const { credential, url } = profile
    if (!credential || 'token' in credential) return profiles.write(name, change(profile))
    using claim = await claimed({ profiles, name, url, waitMs }, credential)
    const now = claim && profiles.read(name)
    if (now) return profiles.write(name, change(now))
  }
}

/**
 * Waits for the right to use a refresh token. Returns undefined when the profile has another one meanwhile. When a command has the
 * right and does not end, its sign-in is lost: it is removed from the profile, and a NotSignedInError says so.
 */
async function claimed(place: Place, used: OAuthCredential): Promise<Disposable | undefined> {
  const { profiles, name, signal } = place
  const path = join(profiles.folder, `${name}.${hashOf(used.refresh_token)}.claim`)
  const release = () => rmSync(path, { force: true })
  let holder: number | undefined
  let untilMs = Number.POSITIVE_INFINITY
  for (;;) {
    const isTaken = create(path)
    if (!isOf(profiles.read(name), place, used)) {
      if (isTaken) release()
      return undefined
    }
    if (isTaken) return { [Symbol.dispose]: release }
    const present = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (present !== holder) untilMs = performance.now() + (place.waitMs ?? WAIT_MS)
    holder = present
    if (performance.now() > untilMs) {
      giveUp(place, used)
      release()
      throw new NotSignedInError(
        `another command started to renew the sign-in and never finished. Sign in again: earshot login ${place.url}`,
      )
    }
    await delay(LOOK_MS)
    signal?.throwIfAborted()
  }
}

/** Removes a credential from its profile, unless there is another one now. */
function giveUp(place: Place, used: OAuthCredential): void {
  const profile = place.profiles.read(place.name)
  if (!isOf(profile, place, used)) return
  const { credential: _lost, ...rest } = profile
  place.profiles.write(place.name, rest)
}

/** Whether a profile still has a refresh token of a service. */
function isOf(profile: Profile | undefined, { url }: Place, { refresh_token }: OAuthCredential): profile is Profile {
  const { credential } = profile ?? {}
  return profile?.url === url && credential !== undefined && 'refresh_token' in credential && credential.refresh_token === refresh_token
}

/** The sign-in has ended, at the service or by `earshot logout`. */
export function signedOut(profile: Pick<Profile, 'url'> | undefined): NotSignedInError {
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
    throw fileError(path, error)
  }
}
