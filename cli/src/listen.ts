import { randomBytes } from 'node:crypto'
import { type EventType, eventTypes } from '@earshot/contracts'
import { type Client, EarshotApiError, EarshotConnectionError, EarshotTimeoutError, type Streamed } from '@earshot/contracts/client'
import { type ForwardedEvent, forward, isDelivered, isWorthRetrying } from './forward.ts'
import { lineWriter } from './listen-line.ts'
import { type ListenState, openListenState } from './listen-state.ts'
import { findPlace } from './place.ts'
import { connect, serviceUrl } from './service.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const RETRY_WAITS_MS = [1_000, 2_000, 4_000]
const LONGEST_RETRY_WAIT_MS = 5_000
const MAX_RECONNECT_WAIT_MS = 30_000
/** What Standard Webhooks asks for: the prefix, and base64. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/

/** Flags as commander gives them. */
export interface ListenFlags {
  forward?: string
  events?: string[]
  team?: string
  project?: string
  fromNow?: boolean
  keepTrying?: boolean
  json?: boolean
}

interface Listening {
  client: Client
  team_id: string
  types: EventType[] | undefined
  signal: AbortSignal
  state: ListenState
  /** Deals with an event; resolves when the next one may come. */
  take: (item: Streamed<StreamedEvent>) => Promise<void>
  say: (line: string) => void
  /** Says what is going on, once it does. */
  greet: () => void
  pause: (ms: number) => Promise<void>
}

type StreamedEvent = Omit<ForwardedEvent, 'text'> & { project_id: string | null }

/** Follows the events of a team and passes them on, until it is interrupted. Goes on where the last run stopped. */
export async function listen(flags: ListenFlags, terminal: Terminal): Promise<void> {
  const url = flags.forward === undefined ? null : receiverUrl(flags.forward)
  const types = flags.events && eventTypesOf(flags.events)
  const secret = secretOf(terminal)
  const client = connect(terminal)
  const asked = { needsTeam: true, needsProject: false, ...(flags.team && { team: flags.team }) }
  const { team_id = '' } = await findPlace(client, asked, terminal)
  const signal = terminal.interruption()
  const say = (line: string) => terminal.writeError(`${line}\n`)
  const take = takerOf({ url, secret, flags, terminal, signal })
  const state = openListenState(terminal.env, { url: serviceUrl(terminal), team_id })
  const cursor = flags.fromNow ? undefined : state.read()
  const greet = () => {
    say(url ? `Forwarding to ${url}, signed with ${secret}` : 'Showing events; --forward URL passes them on')
    say(cursor === undefined ? 'From now on; Ctrl-C ends it.' : 'From where the last run stopped (--from-now skips that); Ctrl-C ends it.')
  }
  await follow({ client, team_id, types, signal, state, take, say, greet, pause: (ms) => terminal.pause(ms, signal) }, cursor)
}

/** One connection after another. What is wrong at the first one is an error; a connection that stood is sought again. */
async function follow(
  { client, team_id, types, signal, state, take, say, greet, pause }: Listening,
  start: string | undefined,
): Promise<void> {
  let cursor = start
  let failures = 0
  let hasStood = false
  const keep = keeperOf(state, say)
  const moveTo = (next: string) => {
    cursor = next
    keep(next)
  }
  const onReady = (begin: string) => {
    if (!hasStood) greet()
    else if (failures > 0) say('Connected again.')
    failures = 0
    hasStood = true
    // A loss before the first event must not lose what comes meanwhile.
    if (cursor === undefined) moveTo(begin)
  }
  while (!signal.aborted) {
    try {
      for await (const item of client.events.stream({ team_id, types, cursor }, { signal, onReady })) {
        await take(item)
        moveTo(item.cursor)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof EarshotApiError && error.code === 'invalid_cursor')
        throw new UsageError('this service does not know where the last run stopped; start with --from-now')
      if (!hasStood || !isLoss(error)) throw error
      const waitMs = Math.min(MAX_RECONNECT_WAIT_MS, 1_000 * 2 ** failures)
      say(`${(error as Error).message} Trying again in ${waitMs / 1000} s.`)
      failures += 1
      await pause(waitMs)
    }
  }
}

/** Without a place to write the run goes on all the same. */
function keeperOf(state: ListenState, say: (line: string) => void): (cursor: string) => void {
  let isWell = true
  return (cursor) => {
    try {
      state.write(cursor)
    } catch (error) {
      if (isWell) say(`The next run will not know where this one stopped: ${(error as Error).message}`)
      isWell = false
    }
  }
}

function takerOf({
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
}): Listening['take'] {
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
      // Not dealt with: the next run begins with it.
      signal.throwIfAborted()
    }
  }
}

function isLoss(error: unknown): boolean {
  if (error instanceof EarshotApiError) return error.status === 429 || error.status >= 500
  return error instanceof EarshotConnectionError || error instanceof EarshotTimeoutError
}

/** `localhost:3000/hook` will do. */
function receiverUrl(given: string): string {
  const url = URL.parse(/^https?:\/\//i.test(given) ? given : `http://${given}`)
  if (!url || url.hostname === '') throw new UsageError(`--forward is no http or https address: ${given}`)
  return url.href
}

function eventTypesOf(given: readonly string[]): EventType[] {
  const names = given.flatMap((text) => text.split(',')).map((name) => name.trim())
  return names.map((name) => {
    const type = eventTypes.find((known) => known === name)
    if (!type) throw new UsageError(`there is no event ${name}; there are: ${eventTypes.join(', ')}`)
    return type
  })
}

/** A new one for each run, unless a receiver is to keep one. Never a flag: the list of processes shows those to everybody. */
function secretOf({ env }: Terminal): string {
  const given = env.EARSHOT_LISTEN_SECRET
  if (!given) return `whsec_${randomBytes(32).toString('base64')}`
  if (!SECRET.test(given)) throw new UsageError('EARSHOT_LISTEN_SECRET must be whsec_ and at least 24 bytes in base64')
  return given
}
