import { EarshotApiError } from '@earshot/contracts/client'
import { api, type Submission } from '../api.ts'
import { setLiveState } from './state.ts'

type Changes = ReturnType<typeof api.submissions.stream>
/** A change as the stream tells it: ids, kind, state and time. */
export type Change = Changes extends AsyncIterable<{ data: infer Data }> ? Data : never

/** Changes, with what they made of submissions that may be on a screen; null when those are too many. */
export interface Batch {
  changes: readonly Change[]
  submissions: readonly Submission[] | null
}

/** What one tab tells the others of the same project. */
type Message = { batch: Batch } | { state: 'live' | 'connecting' } | { expired: true } | { ask: true }

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000

interface Follower {
  signal: AbortSignal
  /** In the tab that has the stream. */
  onChange: (change: Change) => void
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
export function follow(ref: { team_id: string; project_id: string }, follower: Follower): { tell: (batch: Batch) => void } {
  const { signal } = follower
  const name = `earshot-stream-${ref.project_id}`
  const channel = new BroadcastChannel(name)
  let own: 'live' | 'connecting' | null = null
  const send = (message: Message) => {
    if (!signal.aborted) channel.postMessage(message)
  }
  const setOwn = (state: 'live' | 'connecting') => {
    own = state
    setLiveState(state)
    send({ state })
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('batch' in data) follower.onBatch(data.batch)
    if ('expired' in data) follower.onExpired()
    if ('state' in data) setLiveState(data.state)
    if ('ask' in data && own !== null) send({ state: own })
  }
  signal.addEventListener('abort', () => channel.close())
  const onExpired = () => {
    follower.onExpired()
    send({ expired: true })
  }
  send({ ask: true })
  setLiveState('connecting')
  void withLock(name, signal, () => readChanges(ref, { ...follower, onExpired, setOwn }))
  return { tell: (batch) => send({ batch }) }
}

/** Over plain http browsers have no locks: then each tab has a stream of its own. */
async function withLock(name: string, signal: AbortSignal, lead: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return lead()
  try {
    await navigator.locks.request(name, { signal }, lead)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

interface Leader extends Pick<Follower, 'signal' | 'onChange' | 'onReady' | 'onExpired'> {
  setOwn: (state: 'live' | 'connecting') => void
}

async function readChanges(ref: { team_id: string; project_id: string }, leader: Leader): Promise<void> {
  const { signal, setOwn, onChange } = leader
  let cursor: string | undefined
  let waitMs = FIRST_WAIT_MS
  const onReady = (start: string) => {
    if (cursor === undefined) leader.onReady()
    cursor ??= start
    waitMs = FIRST_WAIT_MS
    setOwn('live')
  }
  const onExpired = ({ newestCursor }: { newestCursor: string }) => {
    leader.onExpired()
    return newestCursor
  }
  while (!signal.aborted) {
    try {
      for await (const item of api.submissions.stream({ ...ref, cursor }, { signal, onReady, onExpired })) {
        cursor = item.cursor
        onChange(item.data)
      }
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) return setLiveState('off')
    }
    setOwn('connecting')
    await wait(waitMs, signal)
    waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)
  }
}

/** The project is gone, or the person may not read it any more. A session that ended may begin again. */
function isFinal(error: unknown): boolean {
  return error instanceof EarshotApiError && [403, 404].includes(error.status)
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
    addEventListener('online', end, { once: true })
  })
}
