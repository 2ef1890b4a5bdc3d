import { EarshotApiError } from '@earshot/contracts/client'
import { api } from '../api.ts'
import { setLiveState } from './state.ts'

type Changes = ReturnType<typeof api.submissions.stream>
/** A change as the stream tells it: ids, kind, state and time. */
export type Change = Changes extends AsyncIterable<{ data: infer Data }> ? Data : never

/** What one tab tells the others of the same project. */
type Message = { change: Change } | { state: 'live' | 'connecting' } | { missed: true } | { ask: true }

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000

interface Follower {
  onChange: (change: Change) => void
  /** Changes may have been missed: at the beginning, and when the feed was not kept so long. */
  onMissed: () => void
}

/**
 * Follows the changes of a project until the signal aborts. However many tabs are open, one of them has the stream and tells the
 * others, because a browser has only six connections to a service (HTTP/1.1).
 */
export function follow(ref: { team_id: string; project_id: string }, { onChange, onMissed }: Follower, signal: AbortSignal): void {
  const name = `earshot-stream-${ref.project_id}`
  const channel = new BroadcastChannel(name)
  let own: 'live' | 'connecting' | null = null
  const tell = (message: Message) => channel.postMessage(message)
  const setOwn = (state: 'live' | 'connecting') => {
    own = state
    setLiveState(state)
    tell({ state })
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('change' in data) onChange(data.change)
    if ('missed' in data) onMissed()
    if ('state' in data) setLiveState(data.state)
    if ('ask' in data && own !== null) tell({ state: own })
  }
  signal.addEventListener('abort', () => channel.close())
  const lead = () =>
    readChanges(ref, {
      signal,
      setOwn,
      onChange: (change) => {
        onChange(change)
        tell({ change })
      },
      onMissed: () => {
        onMissed()
        tell({ missed: true })
      },
    })
  tell({ ask: true })
  setLiveState('connecting')
  void withLock(name, signal, lead)
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

interface Leader extends Follower {
  signal: AbortSignal
  setOwn: (state: 'live' | 'connecting') => void
}

async function readChanges(ref: { team_id: string; project_id: string }, { signal, setOwn, onChange, onMissed }: Leader): Promise<void> {
  let cursor: string | undefined
  let waitMs = FIRST_WAIT_MS
  const onReady = (start: string) => {
    if (cursor === undefined) onMissed()
    cursor ??= start
    waitMs = FIRST_WAIT_MS
    setOwn('live')
  }
  const onExpired = ({ newestCursor }: { newestCursor: string }) => {
    onMissed()
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
