import { createClient, EarshotConnectionError } from '@earshot/contracts/client'
import { accountOf, chosenProfile, DEFAULT_URL, readable, requireAddress, requireToken } from './account.ts'
import { openBrowser } from './browser.ts'
import { ExitCode } from './exit-codes.ts'
import { discover, OAuthRefusal, type OAuthService, openKnownService } from './oauth.ts'
import { observing } from './observe.ts'
import { printable } from './printable.ts'
import { type OAuthCredential, openProfiles, type Profile, profileNameOf, requireName } from './profiles.ts'
import { connect, USER_AGENT } from './service.ts'
import { readAll } from './source.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const SLOWER_SECONDS = 5
/** A person who has pressed Ctrl-C waits so long at most. */
const LEAVE_MS = 2_000

type Device = Awaited<ReturnType<OAuthService['begin']>>

export interface LoginFlags {
  scopes?: string
  withToken?: boolean
  /** Absent is true. */
  browser?: boolean
}

/** Signs in at a service and keeps the credential in a profile. Returns the exit code. */
export async function login(address: string | undefined, flags: LoginFlags, terminal: Terminal): Promise<number> {
  const { env } = terminal
  const profiles = openProfiles(env)
  const chosen = profiles.chosen()
  const known = chosen === undefined ? undefined : readable(profiles, chosen)
  const url = requireAddress(address ?? (env.EARSHOT_URL || known?.url || DEFAULT_URL), address ? 'the address' : 'EARSHOT_URL')
  const name = env.EARSHOT_PROFILE || profileNameOf(url)
  requireName(name)
  const own = flags.withToken ? { token: await readToken(terminal) } : undefined
  const signal = terminal.interruption()
  let unkept: Profile | undefined
  try {
    const credential = own ?? (await allowed(url, flags, { terminal, signal }))
    if (typeof credential === 'number') return credential
    unkept = { url, email: '', credential }
    // Not the credential that the profile has now, which may be another person's.
    const token = 'token' in credential ? credential.token : credential.access_token
    const client = createClient({ baseUrl: url, userAgent: USER_AGENT, token, ...observing(terminal) })
    const { user } = await client.me.retrieve({}, { signal })
    const before = readable(profiles, name)
    const { team, project } = before?.url === url ? before : {}
    profiles.write(name, { url, email: user.email, ...(team && { team }), ...(project && { project }), credential })
    unkept = undefined
    profiles.choose(name)
    await revoke(before, terminal).catch(() => {})
    terminal.writeError(printable(`Signed in at ${url} as ${user.email} (profile ${name}).\n`))
  } catch (error) {
    // Nobody has its tokens.
    await revoke(unkept, terminal, AbortSignal.timeout(LEAVE_MS)).catch(() => {})
    if (signal.aborted) return ExitCode.interrupted
    throw error
  }
  if (env.EARSHOT_TOKEN) terminal.writeError('EARSHOT_TOKEN is set, and other commands use it instead. Unset it to use this profile.\n')
  return 0
}

/** Ends the sign-in at the service and removes its profile. Throws when the service is not reachable, so that nothing is left behind there. */
export async function logout({ isLocal }: { isLocal: boolean }, terminal: Terminal): Promise<void> {
  if (terminal.env.EARSHOT_TOKEN) throw new UsageError('EARSHOT_TOKEN is set. Unset it, or name the profile with --profile')
  const { name, profile, profiles } = chosenProfile(terminal)
  if (!isLocal) await revoke(profile, terminal)
  profiles.remove(name)
  const isKept = isLocal || (profile.credential && 'token' in profile.credential)
  terminal.writeError(printable(`Signed out of ${profile.url} (profile ${name}).${isKept ? ' The token itself still works.' : ''}\n`))
}

/** Shows who the commands act as. */
export async function whoami({ isJson }: { isJson: boolean }, terminal: Terminal): Promise<string> {
  const account = accountOf(terminal)
  const { user, credential, teams } = await connect(terminal).me.retrieve()
  const profile = account.name ?? null
  if (isJson) return `${JSON.stringify({ url: account.url, profile, user, credential, teams }, null, 2)}\n`
  const kept = profile === null ? 'EARSHOT_TOKEN' : `profile ${profile}`
  const lines = [
    `${user.email} at ${account.url} (${kept}, ${credential.kind}, ${countOf(credential.scopes)})`,
    ...teams.map((team) => `  ${team.id}  ${team.name} (${team.role})`),
  ]
  return printable(`${lines.join('\n')}\n`)
}

function countOf(scopes: readonly string[] | null): string {
  if (scopes === null) return 'all scopes'
  return scopes.length === 1 ? '1 scope' : `${scopes.length} scopes`
}

/** A personal access token stays: it is deleted where it was made. */
async function revoke(profile: Profile | undefined, terminal: Terminal, signal?: AbortSignal): Promise<void> {
  const { credential, url } = profile ?? {}
  if (url !== undefined && credential && 'refresh_token' in credential)
    await openKnownService(url, { ...observing(terminal), ...(signal && { signal }) }).revoke(credential.refresh_token)
}

async function readToken({ stdin }: Terminal): Promise<string> {
  const text = (await readAll(stdin)).toString('utf8')
  if (text.trim() === '') throw new UsageError('--with-token reads a personal access token from the standard input')
  return requireToken(text.trim(), 'The standard input')
}

/** Lets a person allow this device in a browser (RFC 8628). Returns the tokens, or the exit code when they were not given. */
async function allowed(url: string, { scopes, browser = true }: LoginFlags, asking: Asking): Promise<OAuthCredential | number> {
  const { terminal, signal } = asking
  const service = await discover(url, { ...observing(terminal), signal })
  const device = await service.begin(scopes?.split(',').join(' '))
  const address = device.verification_uri_complete ?? device.verification_uri
  const isOpened = browser && terminal.canAsk && (await openBrowser(address, terminal.env))
  terminal.writeError(
    printable(`${isOpened ? 'Your browser opens' : 'Open'} ${address}\nAllow access if it shows the code ${device.user_code}. Waiting…\n`),
  )
  return tokensOf(service, device, asking)
}

interface Asking {
  terminal: Terminal
  /** Aborts at Ctrl-C. */
  signal: AbortSignal
}

/** Asks the service until the person has decided, as often as it says (RFC 8628 §3.5). */
async function tokensOf(service: OAuthService, device: Device, { terminal, signal }: Asking): Promise<OAuthCredential | number> {
  const endMs = performance.now() + device.expires_in * 1_000
  let seconds = device.interval ?? SLOWER_SECONDS
  let waitSeconds = seconds
  for (;;) {
    await terminal.pause(waitSeconds * 1_000, signal)
    signal.throwIfAborted()
    try {
      return await service.poll(device.device_code)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof OAuthRefusal) {
        if (error.error === 'slow_down') seconds += SLOWER_SECONDS
        else if (error.error !== 'authorization_pending') return refuse(error, terminal)
        waitSeconds = seconds
        continue
      }
      // The service may come back before the code expires.
      if (!(error instanceof EarshotConnectionError) || performance.now() > endMs) throw error
      waitSeconds *= 2
    }
  }
}

function refuse(refusal: OAuthRefusal, terminal: Terminal): number {
  const reasons: Record<string, string> = {
    access_denied: 'access was denied in the browser',
    expired_token: 'the code has expired. Run earshot login again',
  }
  terminal.writeError(printable(`error: ${reasons[refusal.error] ?? refusal.message}\n`))
  return ExitCode.refused
}
