import { NotSignedInError } from './not-signed-in.ts'
import { openProfiles, type Profile, type Profiles } from './profiles.ts'
import { signedOut } from './refresh.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

export const DEFAULT_URL = 'http://localhost:8000'

/** Who a command acts as, and where. */
export type Account = AccountOfEnvironment | AccountOfProfile

interface AccountOfEnvironment {
  url: string
  token: string
  name?: undefined
  profile?: undefined
}

/** An account whose tokens are in a file, because they change. */
export interface AccountOfProfile {
  url: string
  token?: undefined
  name: string
  profile: Profile
  profiles: Profiles
  /** How long it waits for another command that renews the tokens; 20 seconds unless given. */
  waitMs?: number | undefined
}

/**
 * Returns the account: of EARSHOT_TOKEN, with EARSHOT_URL or the default address, else of a profile. Throws a NotSignedInError when
 * there is none. The credential of a profile never goes to another address than its own.
 */
export function accountOf({ env, renewalWaitMs: waitMs }: Pick<Terminal, 'env' | 'renewalWaitMs'>): Account {
  const token = env.EARSHOT_TOKEN?.trim()
  if (token) return { url: requireAddress(env.EARSHOT_URL || DEFAULT_URL, 'EARSHOT_URL'), token: requireToken(token, 'EARSHOT_TOKEN') }
  const { name, profile, profiles } = chosenProfile({ env })
  if (!profile.credential) throw signedOut(profile)
  return { url: profile.url, name, profile, profiles, waitMs }
}

/** Returns the profile that commands use without EARSHOT_TOKEN, whether it is signed in or not. Throws a NotSignedInError when there is none. */
export function chosenProfile({ env }: Pick<Terminal, 'env'>): { name: string; profile: Profile; profiles: Profiles } {
  const profiles = openProfiles(env)
  const url = env.EARSHOT_URL ? requireAddress(env.EARSHOT_URL, 'EARSHOT_URL') : undefined
  const name = nameOf(profiles, url, env.EARSHOT_PROFILE)
  const profile = profiles.read(name)
  if (!profile) throw new NotSignedInError(`there is no profile ${name}. Sign in: earshot login --profile ${name} ${url ?? '<url>'}`)
  if (url !== undefined && profile.url !== url)
    throw new NotSignedInError(
      `the profile ${name} is for ${profile.url}, and EARSHOT_URL is ${url}. Unset EARSHOT_URL, or choose another profile`,
    )
  return { name, profile, profiles }
}

/** Returns the address without slashes at its end. Throws a UsageError when it is none of http or https. */
export function requireAddress(text: string, name: string): string {
  const address = text.trim().replace(/\/+$/, '')
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new UsageError(`${name} must be an http or https address, not ${text}`)
  return address
}

/** The profile that is named, else that of the address, else the current one. */
function nameOf(profiles: Profiles, url: string | undefined, named: string | undefined): string {
  const chosen = profiles.chosen()
  const ofUrl = (name: string) => readable(profiles, name)?.url === url
  if (url === undefined || named || (chosen !== undefined && ofUrl(chosen))) {
    if (chosen !== undefined) return chosen
    throw new NotSignedInError('you are not signed in. Run earshot login, or create a personal access token and export EARSHOT_TOKEN=svc_…')
  }
  const found = profiles.names().find(ofUrl)
  if (found !== undefined) return found
  throw new NotSignedInError(`you are not signed in at ${url}. Run earshot login ${url}, or export EARSHOT_TOKEN=svc_…`)
}

/** Returns a profile, and undefined for one that is broken: it does not keep others from being used. */
export function readable(profiles: Profiles, name: string): Profile | undefined {
  try {
    return profiles.read(name)
  } catch (error) {
    if (error instanceof UsageError) return undefined
    throw error
  }
}

/** Returns the token. Throws a NotSignedInError when it cannot be one. */
export function requireToken(token: string, source: string): string {
  if (!/^[!-~]+$/.test(token)) throw new NotSignedInError(`${source} contains invalid characters. A personal access token is svc_…`)
  return token
}
