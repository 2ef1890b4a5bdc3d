import { EarshotApiError } from '@earshot/contracts/client'
import { api, type Item, type Submission } from '../api.ts'
import { isSignedOut, untilSignedIn } from '../signed-out.ts'
import { leadAlone, pause } from './lead.ts'
import { setLiveState } from './state.ts'

type Changes = ReturnType<typeof api.submissions.stream>
/** A change as the stream tells it: ids, kind, state and time. */
export type Change = Changes extends AsyncIterable<{ data: infer Data }> ? Data : never

/** Changes, with what they made of submissions that may be on a screen; null when those are too many. */
export interface Batch {
  changes: readonly Change[]
  submissions: readonly (Submission | Item<typeof api.testimonials.list>)[] | null
}

/** What one tab tells the others of the same project, with how much of the stream they have been told before and after it. */
type Message = { ask: true } | Told
type Told = { from: string | undefined; to: string | undefined } & ({ batch: Batch } | { state: 'live' | 'connecting' } | { expired: true })

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000

interface Ref {
  team_id: string
  project_id: string
}

interface Follower {
  signal: AbortSignal
  /** In the tab that has the stream. */
  onChange: (change: Change, cursor: string) => void
  /** In the other tabs. */
  onBatch: (batch: Batch) => void
  /** The stream begins: what changed just before is not told. */
  onReady: () => void
  /** Changes were missed, because they are not kept so long. */
  onExpired: () => void
}

/**
 * Follows the changes of a project until the signal aborts. However many tabs are open, one of them has the stream and tells the
 * others, because a browser has only six connections to a service (HTTP/1.1), and a person a number of requests. Returns a function
 * that tells the others what this tab has read.
 */
export function follow(ref: Ref, follower: Follower): { tell: (batch: Batch, cursor: string) => void } {
  const { signal } = follower
  const name = `earshot-stream-${ref.project_id}`
  const channel = new BroadcastChannel(name)
  let own: 'live' | 'connecting' | null = null
  // A tab that takes the stream over goes on from here.
  let told: string | undefined
  const send = (message: Message) => {
    if (!signal.aborted) channel.postMessage(message)
  }
  const sendState = (state: 'live' | 'connecting') => send({ state, from: told, to: told })
  const hear = (message: Told) => {
    // A tab that stood still may have missed a message.
    const isBehind = told !== undefined && message.from !== undefined && told !== message.from
    told = message.to ?? told
    if ('state' in message) setLiveState(message.state)
    if ('expired' in message || isBehind) follower.onExpired()
    else if ('batch' in message) follower.onBatch(message.batch)
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (!('ask' in data)) hear(data)
    else if (own !== null) sendState(own)
  }
  signal.addEventListener('abort', () => channel.close())
  send({ ask: true })
  setLiveState('connecting')
  void leadAlone(name, signal, async (leading) => {
    await readChanges(ref, told, {
      ...follower,
      signal: leading,
      onReady: (start) => {
        if (told === undefined) follower.onReady()
        told ??= start
      },
      onExpired: (newest) => {
        send({ expired: true, from: told, to: newest })
        told = newest
        follower.onExpired()
      },
      setOwn: (state) => {
        own = state
        setLiveState(state)
        sendState(state)
      },
    })
    own = null
    // Another tab has taken over.
    send({ ask: true })
  })
  return {
    tell: (batch, cursor) => {
      send({ batch, from: told, to: cursor })
      told = cursor
    },
  }
}

interface Leader extends Pick<Follower, 'signal' | 'onChange'> {
  onReady: (start: string) => void
  onExpired: (newest: string) => void
  setOwn: (state: 'live' | 'connecting') => void
}

async function readChanges(ref: Ref, from: string | undefined, leader: Leader): Promise<void> {
  const { signal, setOwn, onChange } = leader
  let cursor = from
  let waitMs = FIRST_WAIT_MS
  const onReady = (start: string) => {
    leader.onReady(start)
    cursor ??= start
    waitMs = FIRST_WAIT_MS
    setOwn('live')
  }
  const onExpired = ({ newestCursor }: { newestCursor: string }) => {
    leader.onExpired(newestCursor)
    return newestCursor
  }
  while (!signal.aborted) {
    try {
      for await (const item of api.submissions.stream({ ...ref, cursor }, { signal, onReady, onExpired })) {
        cursor = item.cursor
        onChange(item.data, item.cursor)
      }
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) return setLiveState('off')
    }
    if (signal.aborted) return
    setOwn('connecting')
    // Each request without a session counts against the address from which somebody wants to sign in.
    if (isSignedOut()) await untilSignedIn(signal)
    else await untilOnline(waitMs, signal)
    waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)
  }
}

/** The project is gone, or the person may not read it any more. A session that ended may begin again. */
function isFinal(error: unknown): boolean {
  return error instanceof EarshotApiError && [403, 404].includes(error.status)
}

/** Waits, at most until the browser has a connection again. */
async function untilOnline(ms: number, signal: AbortSignal): Promise<void> {
  const online = new AbortController()
  const end = () => online.abort()
  addEventListener('online', end, { once: true })
  await pause(ms, AbortSignal.any([signal, online.signal]))
  removeEventListener('online', end)
}
