import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import { type AttemptResult, completeDeliveries, LEASE_SECONDS } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'

/** Results are written when they have waited this long. */
const LINGER_MS = 120
/** With a claim they are written after this time: waking up for both at once costs less. */
const LEAST_LINGER_MS = 80
/** A batch ends at the first of both limits: the response bodies have up to 64 KB each. */
const MAX_BATCH = 200
/** This many results are written without waiting. */
const FULL_ENOUGH = 100
const MAX_BATCH_BYTES = 2_000_000
const FIRST_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 2_000

/** The end of a result: written, too late because another worker took over, or given up. */
export type Completion = 'applied' | 'stale' | 'dropped'

interface Waiting {
  result: AttemptResult
  /** On the clock of this process. */
  claimedAtMs: number
  settle: (completion: Completion) => void
}

export interface Completer {
  /** Writes a result with the next batch; resolves when it is written or given up. Never rejects. */
  complete: (result: AttemptResult, claimedAtMs: number) => Promise<Completion>
  /** A claim begins: results that have waited for a while are written at the same time. */
  nudge: () => void
  /** Gives up the results that are not written yet. */
  close: () => void
}

/**
 * Collects results for some milliseconds and writes them together, one batch at a time. While the database is unavailable,
 * results wait until their lease ends: after that another worker sends the delivery.
 */
export function createCompleter({ database, log }: { database: Database; log: Log }): Completer {
  const waiting: Waiting[] = []
  const linger = createLinger()
  let isWriting = false
  let isClosed = false
  let backoffMs = 0

  async function writeAll(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) {
      // Also after a batch: in a burst the next one would have what came in the meantime, and most of its cost is to begin.
      if (waiting.length < FULL_ENOUGH) await linger.pass()
      dropExpired()
      const batch = waiting.splice(0, batchLength(waiting))
      if (batch.length > 0) await write(batch)
    }
    isWriting = false
  }

  function dropExpired(): void {
    const oldest = isClosed ? Number.POSITIVE_INFINITY : performance.now() - LEASE_SECONDS * 1000
    // Rarely finds more than one, as results arrive about in the order of their claims.
    for (const entry of waiting.filter(({ claimedAtMs }) => claimedAtMs < oldest)) {
      waiting.splice(waiting.indexOf(entry), 1)
      entry.settle('dropped')
    }
  }

  async function write(batch: Waiting[]): Promise<void> {
    try {
      const results = batch.map(({ result }) => result)
      settle(batch, await completeDeliveries(database, results))
      if (backoffMs > 0) log.info('Writing delivery results works again')
      backoffMs = 0
    } catch (error) {
      if (isAboutTheData(error)) await writeApart(batch, error)
      else await keepForLater(batch, error)
    }
  }

  async function keepForLater(batch: Waiting[], error: unknown): Promise<void> {
    waiting.unshift(...batch)
    if (backoffMs === 0) log.warn({ err: error }, 'Could not write delivery results; keeping them and retrying')
    backoffMs = Math.min(Math.max(FIRST_BACKOFF_MS, backoffMs * 2), MAX_BACKOFF_MS)
    await delay(backoffMs)
  }

  /** Writes the results one by one. One that the database refuses is written without the response, and does not fail the others. */
  async function writeApart(batch: Waiting[], error: unknown): Promise<void> {
    log.error({ err: error }, 'The database refused a batch of results; writing them one by one')
    for (const entry of batch) {
      const bare = { ...entry.result, response_headers: null, response_body: null, error_detail: null }
      const applied = await completeDeliveries(database, [entry.result]).catch(() => completeDeliveries(database, [bare]).catch(() => null))
      if (applied) settle([entry], applied)
      else entry.settle('dropped')
    }
  }

  return {
    complete: (result, claimedAtMs) =>
      new Promise((settle) => {
        waiting.push({ result, claimedAtMs, settle })
        if (!isWriting) void writeAll()
        if (waiting.length >= FULL_ENOUGH) linger.end({ leastMs: 0 })
      }),
    nudge: () => linger.end({ leastMs: LEAST_LINGER_MS }),
    close() {
      isClosed = true
    },
  }
}

/** The time in which results wait for others. */
function createLinger() {
  let sinceMs = 0
  let end: (() => void) | null = null
  return {
    async pass(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, LINGER_MS)
      sinceMs = performance.now()
      end = resolve
      await promise
      end = null
      clearTimeout(timer)
    },
    /** Ends it, if it has lasted that long. */
    end({ leastMs }: { leastMs: number }): void {
      if (performance.now() - sinceMs >= leastMs) end?.()
    },
  }
}

function batchLength(waiting: readonly Waiting[]): number {
  let bytes = 0
  const full = waiting.findIndex(({ result }, index) => {
    bytes += result.response_body?.length ?? 0
    return index >= MAX_BATCH || (index > 0 && bytes > MAX_BATCH_BYTES)
  })
  return full === -1 ? waiting.length : full
}

function settle(batch: readonly Waiting[], applied: ReadonlySet<string>): void {
  for (const { result, settle } of batch) settle(applied.has(result.delivery_id) ? 'applied' : 'stale')
}

/** SQLSTATE classes 22 and 23: data exceptions and violated constraints. */
function isAboutTheData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code))
}
