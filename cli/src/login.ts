import { createClient, EarshotConnectionError } from '@earshot/contracts/client'
import { accountOf, chosenProfile, DEFAULT_URL, requireAddress, requireToken } from './account.ts'
import { openBrowser } from './browser.ts'
import { discover, OAuthRefusal, type OAuthService, openKnownService } from './oauth.ts'
import { observing } from './observe.ts'
import { printable } from './printable.ts'
import { type OAuthCredential, openProfiles, type Profile, profileNameOf } from './profiles.ts'
import { connect, USER_AGENT } from './service.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** As after a command that SIGINT ended. */
const INTERRUPTED = 130
const REFUSED = 1
const SLOWER_SECONDS = 5

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
  const known = chosen === undefined ? undefined : profiles.read(chosen)
  const url = requireAddress(address ?? (env.EARSHOT_URL || known?.url || DEFAULT_URL), address ? 'the address' : 'EARSHOT_URL')
  const name = env.EARSHOT_PROFILE || profileNameOf(url)
  const before = profiles.read(name)
  const credential = flags.withToken ? { token: await readToken(terminal) } : await allowed(url, flags, terminal)
  if (typeof credential === 'number') return credential

  // Not the credential that the profile has now, which may be another person's.
  const token = 'token' in credential ? credential.token : credential.access_token
  const { user } = await createClient({ baseUrl: url, userAgent: USER_AGENT, token, ...observing(terminal) }).me.retrieve()
  const { team, project } = before?.url === url ? before : {}
  profiles.write(name, { url, email: user.email, ...(team && { team }), ...(project && { project }), credential })
  profiles.choose(name)
  await revoke(before).catch(() => {})
  terminal.writeError(printable(`Signed in at ${url} as ${user.email} (profile ${name}).\n`))
  if (env.EARSHOT_TOKEN) terminal.writeError('EARSHOT_TOKEN is set, and other commands use it instead. Unset it to use this profile.\n')
  return 0
}

/** Ends the sign-in at the service and removes its profile. Throws when the service is not reachable, so that nothing is left behind there. */
export async function logout({ isLocal }: { isLocal: boolean }, terminal: Terminal): Promise<void> {
  if (terminal.env.EARSHOT_TOKEN) throw new UsageError('EARSHOT_TOKEN is set. Unset it, or name the profile with --profile')
  const { name, profile, profiles } = chosenProfile(terminal)
  if (!isLocal) await revoke(profile)
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
    `${user.email} at ${account.url} (${kept}, ${credential.kind}, ${credential.scopes?.length ?? 'all'} scopes)`,
    ...teams.map((team) => `  ${team.id}  ${team.name} (${team.role})`),
  ]
  return printable(`${lines.join('\n')}\n`)
}

/** A personal access token stays: it is deleted where it was made. */
async function revoke(profile: Profile | undefined): Promise<void> {
  const { credential, url } = profile ?? {}
  if (url !== undefined && credential && 'refresh_token' in credential) await openKnownService(url).revoke(credential.refresh_token)
}

async function readToken({ stdin }: Terminal): Promise<string> {
  let text = ''
  for await (const chunk of stdin) text += Buffer.from(chunk).toString('utf8')
  if (text.trim() === '') throw new UsageError('--with-token reads a personal access token from the standard input')
  return requireToken(text.trim(), 'The standard input')
}

/** Lets a person allow this device in a browser (RFC 8628). Returns the tokens, or the exit code when they were not given. */
async function allowed(url: string, { scopes, browser = true }: LoginFlags, terminal: Terminal): Promise<OAuthCredential | number> {
  const signal = terminal.interruption()
  try {
    const service = await discover(url, signal)
    const device = await service.begin(scopes?.split(',').join(' '))
    const address = device.verification_uri_complete ?? device.verification_uri
    const isOpened = browser && terminal.canAsk && (await openBrowser(address, terminal.env))
    terminal.writeError(
      printable(
        `${isOpened ? 'Your browser opens' : 'Open'} ${address}\nAllow access if it shows the code ${device.user_code}. Waiting…\n`,
      ),
    )
    return await tokensOf(service, device, { terminal, signal })
  } catch (error) {
    if (signal.aborted) return INTERRUPTED
    throw error
  }
}

async function tokensOf(
  service: OAuthService,
  device: Awaited<ReturnType<OAuthService['begin']>>,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
): Promise<OAuthCredential | number> {
  let seconds = device.interval ?? SLOWER_SECONDS
  for (;;) {
    await terminal.pause(seconds * 1_000, signal)
    signal.throwIfAborted()
    try {
      return await service.poll(device.device_code)
    } catch (error) {
      // The connection may come back before the code expires; then the service says so.
      const isAway = error instanceof EarshotConnectionError
      if (!isAway && !(error instanceof OAuthRefusal)) throw error
      if (isAway && seconds > device.expires_in) throw error
      if (isAway) seconds *= 2
      else if (error.error === 'slow_down') seconds += SLOWER_SECONDS
      else if (error.error !== 'authorization_pending') return refuse(error.error, terminal)
    }
  }
}

function refuse(code: string, terminal: Terminal): number {
  const reasons: Record<string, string> = {
    access_denied: 'access was denied in the browser',
    expired_token: 'the code has expired. Run earshot login again',
  }
  terminal.writeError(printable(`error: ${reasons[code] ?? `the service refused the sign-in: ${code}`}\n`))
  return REFUSED
}
