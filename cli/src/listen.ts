import { randomBytes } from 'node:crypto'
import type { EventType } from '@earshot/contracts'
import { type Client, EarshotApiError, type ExpiredCursor, type Streamed } from '@earshot/contracts/client'
import { eventTypes } from '@earshot/contracts/constants'
import { accountOf } from './account.ts'
import { type ForwardedEvent, forward, isDelivered, isWorthRetrying } from './forward.ts'
import { lineWriter } from './listen-line.ts'
import { type ListenState, openListenState } from './listen-state.ts'
import { isPassing, waitMsAfter } from './passing.ts'
import { oneLine } from './printable.ts'
import { connect } from './service.ts'
import { findTeamAndProject } from './team-and-project.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const RETRY_WAITS_MS = [1_000, 2_000, 4_000]
const LONGEST_RETRY_WAIT_MS = 5_000
const MAX_RECONNECT_WAIT_MS = 30_000
/** The format of Standard Webhooks: a prefix and base64. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/

/** Flags as commander gives them. */
export interface ListenFlags {
  forward?: string
  events?: string[]
  team?: string
  project?: string
  fromNow?: boolean
  fromOldest?: boolean
  keepTrying?: boolean
  json?: boolean
}

interface Listening {
  client: Client
  team_id: string
  types: EventType[] | undefined
  signal: AbortSignal
  state: ListenState
  /** Handles an event; resolves when the next one may come. */
  handle: (item: Streamed<StreamedEvent>) => Promise<void>
  print: (line: string) => void
  /** Prints what the run does, once the stream is open. */
  announce: () => void
  /** Continues with the oldest event that is kept where those since the last run are not. */
  fromOldest: boolean
  pause: (ms: number) => Promise<void>
}

type StreamedEvent = Omit<ForwardedEvent, 'text'> & { project_id: string | null }

/** Streams the events of a team and forwards them until interrupted. Resumes where the last run stopped. */
export async function listen(flags: ListenFlags, terminal: Terminal): Promise<void> {
  const url = flags.forward === undefined ? null : receiverUrl(flags.forward)
  const types = flags.events && eventTypesOf(flags.events)
  const secret = secretOf(terminal)
  const client = connect(terminal)
  const asked = { needsTeam: true, needsProject: false, ...(flags.team && { team: flags.team }) }
  const { team_id = '' } = await findTeamAndProject(client, asked, terminal)
  const signal = terminal.interruption()
  const print = (line: string) => terminal.writeError(`${oneLine(line)}\n`)
  const handle = handlerOf({ url, secret, flags, terminal, signal })
  const state = openListenState(terminal.env, { url: accountOf(terminal).url, team_id })
  const cursor = flags.fromNow ? undefined : state.read()
  const announce = () => {
    print(url ? `Forwarding to ${url}, signed with ${secret}` : 'Showing events; add --forward URL to forward them')
    print(
      cursor === undefined ? 'Waiting for new events. Press Ctrl-C to stop.' : 'Resuming where the last run stopped. Press Ctrl-C to stop.',
    )
  }
  const pause = (ms: number) => terminal.pause(ms, signal)
  await follow({ client, team_id, types, signal, state, handle, print, announce, pause, fromOldest: flags.fromOldest === true }, cursor)
}

/** Opens one connection after another. A failure of the first is an error; a dropped connection reconnects. */
async function follow(
  { client, team_id, types, signal, state, handle, print, announce, pause, fromOldest }: Listening,
  start: string | undefined,
): Promise<void> {
  let cursor = start
  let failures = 0
  let hasConnected = false
  const save = saverOf(state, print)
  const moveTo = (next: string) => {
    cursor = next
    save(next)
  }
  const onReady = (begin: string) => {
    if (!hasConnected) announce()
    else if (failures > 0) print('Reconnected.')
    failures = 0
    hasConnected = true
    // A connection that drops before the first event must not lose the events until it is back.
    if (cursor === undefined) moveTo(begin)
  }
  const onExpired = ({ oldestCursor }: ExpiredCursor) => {
    if (!fromOldest) return undefined
    print('Some events were missed: they are no longer kept, or the service was restored from a backup. Continuing with the oldest event.')
    moveTo(oldestCursor)
    return oldestCursor
  }
  while (!signal.aborted) {
    try {
      for await (const item of client.events.stream({ team_id, types, cursor }, { signal, onReady, onExpired })) {
        await handle(item)
        moveTo(item.cursor)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof EarshotApiError) throwIfLost(error)
      if (!hasConnected || !isPassing(error)) throw error
      const waitMs = waitMsAfter(error, Math.min(MAX_RECONNECT_WAIT_MS, 1_000 * 2 ** failures))
      print(`${error.message} Reconnecting in ${waitMs / 1000} s.`)
      failures += 1
      await pause(waitMs)
    }
  }
}

/** Throws what to do when the stream cannot resume where it stopped. */
function throwIfLost({ code }: EarshotApiError): void {
  if (code === 'invalid_cursor')
    throw new UsageError('this service does not know where the last run stopped. Add --from-now to start with new events')
  if (code === 'cursor_expired')
    throw new UsageError(
      'some events were missed: they are no longer kept, or the service was restored from a backup. Add --from-oldest to continue with the oldest event, or --from-now to start with new events',
    )
}

/** Saves cursors. If the file cannot be written, the run continues. */
function saverOf(state: ListenState, print: (line: string) => void): (cursor: string) => void {
  let canWrite = true
  return (cursor) => {
    try {
      state.write(cursor)
    } catch (error) {
      if (canWrite) print(`Cannot save where this run stops: ${(error as Error).message}`)
      canWrite = false
    }
  }
}

function handlerOf({
  url,
  secret,
  flags,
  terminal,
  signal,
}: {
  url: string | null
  secret: string
  flags: ListenFlags
  terminal: Terminal
  signal: AbortSignal
}): Listening['handle'] {
  const write = lineWriter(terminal, flags.json === true)
  return async ({ data: event, text, cursor }) => {
    if (flags.project !== undefined && event.project_id !== flags.project) return
    if (!url) return write({ event, cursor, forwarding: null, nextTryInMs: null })
    for (let tries = 0; ; tries += 1) {
      const forwarding = await forward(url, { ...event, text }, secret, signal)
      const waitMs = RETRY_WAITS_MS[tries] ?? (flags.keepTrying ? LONGEST_RETRY_WAIT_MS : null)
      const nextTryInMs = isDelivered(forwarding) || !isWorthRetrying(forwarding) ? null : waitMs
      write({ event, cursor, forwarding, nextTryInMs })
      if (nextTryInMs === null) return
      await terminal.pause(nextTryInMs, signal)
      // Not handled: the next run starts with this event.
      signal.throwIfAborted()
    }
  }
}

/** Accepts `localhost:3000/hook` without a scheme. */
function receiverUrl(given: string): string {
  const address = /^https?:\/\//i.test(given) ? given : `http://${given}`
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || url.hostname === '') throw new UsageError(`--forward must be an http or https address, not ${given}`)
  return url.href
}

function eventTypesOf(given: readonly string[]): EventType[] {
  const names = given.flatMap((text) => text.split(',')).map((name) => name.trim())
  return names.map((name) => {
    const type = eventTypes.find((known) => known === name)
    if (!type) throw new UsageError(`unknown event ${name}. Choose from: ${eventTypes.join(', ')}`)
    return type
  })
}

/** Returns EARSHOT_LISTEN_SECRET, or a new secret for this run. Not a flag, because other users can list the flags of processes. */
function secretOf({ env }: Terminal): string {
  const given = env.EARSHOT_LISTEN_SECRET
  if (!given) return `whsec_${randomBytes(32).toString('base64')}`
  if (!SECRET.test(given)) throw new UsageError('EARSHOT_LISTEN_SECRET must be whsec_ and at least 24 bytes in base64')
  return given
}
