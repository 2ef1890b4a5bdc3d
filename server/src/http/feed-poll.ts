import { type Database, laterCursor, readFeedEnds } from '@earshot/db'

const TICK_MS = 200
/** However slow the database is for a moment. */
const MAX_TICK_MS = 1_000

/** Where one team's feed ends, as far as this process has seen. */
interface PolledFeed {
  /** Null until it was looked at. All that is not behind it is committed. */
  end: () => string | null
  /** Resolves when the feed goes on beyond `end`, when the signal aborts, or after the time. */
  goesOn: (end: string | null, wait: { signal: AbortSignal; timeoutMs: number }) => Promise<void>
  /** Call once when no longer interested. */
  close: () => void
}

/** Opens the feed of a team. */
export type FeedPoll = (teamId: string) => PolledFeed

interface Feed {
  end: string | null
  readers: number
  waiting: Set<() => void>
}

/**
 * Looks after all feeds that somebody of this process follows, by one statement a tick: what a stream costs while nothing
 * happens does not depend on how many there are. Looks at nothing while nobody follows.
 */
export function createFeedPoll(database: Database): FeedPoll {
  const feeds = new Map<string, Feed>()
  let isLooking = false

  async function look(): Promise<void> {
    isLooking = feeds.size > 0
    if (!isLooking) return
    const startedAt = performance.now()
    // While the database is away nothing goes on; what ends the streams is that they cannot be judged again.
    const ends = await readFeedEnds(database, [...feeds.keys()]).catch(() => new Map<string, string>())
    for (const [teamId, end] of ends) {
      const feed = feeds.get(teamId)
      if (feed) moveTo(feed, end)
    }
    // Mostly at most a twentieth of a session's time.
    setTimeout(look, Math.min(MAX_TICK_MS, Math.max(TICK_MS, 20 * (performance.now() - startedAt))))
  }

  function open(teamId: string): Feed {
    const feed = feeds.get(teamId) ?? { end: null, readers: 0, waiting: new Set() }
    feeds.set(teamId, feed)
    feed.readers += 1
    if (!isLooking) setTimeout(look, TICK_MS)
    isLooking = true
    return feed
  }

  return (teamId) => {
    const feed = open(teamId)
    return {
      end: () => feed.end,
      goesOn: (end, wait) => (feed.end === end ? nextOf(feed, wait) : Promise.resolve()),
      close: () => {
        feed.readers -= 1
        if (feed.readers === 0) feeds.delete(teamId)
      },
    }
  }
}

function moveTo(feed: Feed, end: string): void {
  const further = laterCursor(feed.end ?? end, end)
  if (further === feed.end) return
  feed.end = further
  for (const wake of feed.waiting) wake()
}

function nextOf(feed: Feed, { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number }): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      feed.waiting.delete(wake)
      resolve()
    }
    const timer = setTimeout(wake, timeoutMs)
    feed.waiting.add(wake)
    signal.addEventListener('abort', wake, { once: true })
    if (signal.aborted) wake()
  })
}
