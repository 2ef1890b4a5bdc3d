import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { homedir, platform } from 'node:os'
import { join } from 'node:path'
import { openPrivateFile } from './private-file.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

type Environment = Terminal['env']

/** What `earshot login` keeps of a service. */
export interface Profile {
  /** The address of the service. */
  url: string
  email: string
  /** Defaults of `--team` and `--project`. */
  team?: string
  project?: string
  /** Absent when the sign-in has ended at the service. */
  credential?: Credential
}

/** A personal access token, or the tokens of a sign-in by OAuth. */
export type Credential = { token: string } | OAuthCredential

export interface OAuthCredential {
  access_token: string
  /** When the access token expires, by the clock of this machine. */
  expires_at: string
  refresh_token: string
}

/** The letters that are safe in the name of a file everywhere. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** Permissions of others. */
const OF_OTHERS = 0o077

/**
 * The profiles of a person, a file each, so that two commands that refresh the tokens of two profiles at the same time do not
 * overwrite each other's.
 */
export interface Profiles {
  folder: string
  /** The name to use: of EARSHOT_PROFILE, or the current one; undefined before the first sign-in. */
  chosen: () => string | undefined
  names: () => string[]
  /** Returns the profile; undefined if there is none. Throws a UsageError when its file is broken or others can read it. */
  read: (name: string) => Profile | undefined
  write: (name: string, profile: Profile) => void
  remove: (name: string) => void
  /** Makes it the current one. */
  choose: (name: string) => void
}

/** Opens the profiles in the configuration folder of the system. */
export function openProfiles(env: Environment): Profiles {
  const folder = join(configFolder(env), 'earshot', 'profiles')
  const settings = openPrivateFile(join(configFolder(env), 'earshot', 'settings.json'))
  const fileOf = (name: string) => openPrivateFile(join(folder, `${requireName(name)}.json`))
  const current = () => {
    const { profile } = (settings.read() ?? {}) as { profile?: unknown } // Checked below.
    return typeof profile === 'string' ? profile : undefined
  }
  return {
    folder,
    chosen: () => env.EARSHOT_PROFILE || current(),
    names: () =>
      existsSync(folder)
        ? readdirSync(folder)
            .flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? [])
            .sort()
        : [],
    read: (name) => readProfile(fileOf(name).path),
    write: (name, profile) => fileOf(name).write(profile),
    remove: (name) => {
      fileOf(name).remove()
      // What commands that were killed have left, and nothing of a profile whose name only begins the same.
      const isLeft = (file: string) => file.startsWith(`${name}.`) && /^([0-9a-f]{32}\.claim|json\.\d+)$/.test(file.slice(name.length + 1))
      for (const file of (existsSync(folder) ? readdirSync(folder) : []).filter(isLeft)) rmSync(join(folder, file), { force: true })
      if (current() === name) settings.remove()
    },
    choose: (name) => settings.write({ profile: name }),
  }
}

/** Returns the name of a profile for a service: its host. */
export function profileNameOf(url: string): string {
  return new URL(url).host
    .replaceAll(/[^A-Za-z0-9.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
}

/** Returns the name. Throws a UsageError when it cannot be one of a profile. */
export function requireName(name: string): string {
  if (!NAME.test(name)) throw new UsageError(`a profile is named by up to 64 letters, digits, dots, dashes and underscores, not ${name}`)
  return name
}

function readProfile(path: string): Profile | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`)
  }
  if (platform() !== 'win32' && (statSync(path).mode & OF_OTHERS) !== 0)
    throw new UsageError(`others can read ${path}. Run: chmod 600 ${path}`)
  const profile = parse(text)
  if (typeof profile.url !== 'string' || !/^https?:$/.test(protocolOf(profile.url)) || !isCredential(profile.credential))
    throw new UsageError(`${path} is broken. Remove it, and sign in again with earshot login`)
  return profile as Profile // Its fields are checked, and what else is in the file is not used.
}

function parse(text: string): Partial<Profile> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : ''
}

function isCredential(credential: unknown): boolean {
  if (credential === undefined) return true
  const { token, access_token, expires_at, refresh_token } = Object(credential)
  return typeof token === 'string' || [access_token, expires_at, refresh_token].every((field) => typeof field === 'string')
}

function configFolder(env: Environment): string {
  if (platform() === 'win32' && env.APPDATA) return env.APPDATA
  if (env.XDG_CONFIG_HOME) return env.XDG_CONFIG_HOME
  const home = env.HOME || homedir()
  return platform() === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.config')
}
