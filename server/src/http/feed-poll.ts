import { type Database, laterCursor, readFeedEnds, readSubmissionFeedEnds, type Tx } from '@earshot/db'

const TICK_MS = 200
/** The longest tick while the database is slow. */
const MAX_TICK_MS = 1_000

/** The feed of a team as this process has polled it. */
interface PolledFeed {
  /** The cursor of the feed's end; null before the first poll. Everything up to it is committed. */
  end: () => string | null
  /** Resolves when the feed continues beyond `end`, when the signal aborts, or after the timeout. */
  goesOn: (end: string | null, wait: { signal: AbortSignal; timeoutMs: number }) => Promise<void>
  /** Stops polling for this reader. Call once. */
  close: () => void
}

/** Whose feed it is. The project is that of a project's feed. */
interface FeedOwner {
  team_id: string
  project_id: string
}

/** Starts polling a feed. */
type FeedPoll = (owner: FeedOwner) => PolledFeed

/** The feeds of a team's events, and those of what changes in a project's submissions. */
export interface FeedPolls {
  events: FeedPoll
  submissions: FeedPoll
}

/** What distinguishes one kind of feeds from another. */
interface FeedKind {
  keyOf: (owner: FeedOwner) => string
  /** Reads the ends of feeds in one statement, by the key of each. */
  readEnds: (tx: Tx, owners: FeedOwner[]) => Promise<Map<string, string>>
}

interface Feed {
  owner: FeedOwner
  end: string | null
  readers: number
  waiting: Set<() => void>
}

/** Creates the polls of a process, one for each kind of feeds. */
export function createFeedPolls(database: Database): FeedPolls {
  return {
    events: createFeedPoll(database, {
      keyOf: ({ team_id }) => team_id,
      readEnds: (tx, owners) =>
        readFeedEnds(
          tx,
          owners.map(({ team_id }) => team_id),
        ),
    }),
    submissions: createFeedPoll(database, { keyOf: ({ project_id }) => project_id, readEnds: readSubmissionFeedEnds }),
  }
}

/**
 * Polls the feeds of all open streams of this process with one statement per tick, so that the cost of idle streams does not
 * depend on their number. Without streams it does not poll.
 */
function createFeedPoll(database: Database, { keyOf, readEnds }: FeedKind): FeedPoll {
  const feeds = new Map<string, Feed>()
  let isPolling = false

  async function poll(): Promise<void> {
    isPolling = feeds.size > 0
    if (!isPolling) return
    const startedAt = performance.now()
    // While the database is unreachable no feed continues. Streams end when they cannot be authorized again.
    const owners = [...feeds.values()].map(({ owner }) => owner)
    const ends = await readEnds(database, owners).catch(() => new Map<string, string>())
    for (const [key, end] of ends) {
      const feed = feeds.get(key)
      if (feed) moveTo(feed, end)
    }
    // At most a twentieth of one connection's time.
    setTimeout(poll, Math.min(MAX_TICK_MS, Math.max(TICK_MS, 20 * (performance.now() - startedAt))))
  }

  function open(owner: FeedOwner): Feed {
    const feed = feeds.get(keyOf(owner)) ?? { owner, end: null, readers: 0, waiting: new Set() }
    feeds.set(keyOf(owner), feed)
    feed.readers += 1
    if (!isPolling) setTimeout(poll, TICK_MS)
    isPolling = true
    return feed
  }

  return (owner) => {
    const feed = open(owner)
    return {
      end: () => feed.end,
      goesOn: (end, wait) => (feed.end === end ? nextOf(feed, wait) : Promise.resolve()),
      close: () => {
        feed.readers -= 1
        if (feed.readers === 0) feeds.delete(keyOf(owner))
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
