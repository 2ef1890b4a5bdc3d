import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import { type AttemptResult, completeDeliveries, LEASE_SECONDS } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'

const LINGER_MS = 20
/** A batch ends at the first of both limits: the response bodies have up to 64 KB each. */
const MAX_BATCH = 200
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
  /** Gives up the results that are not written yet. */
  close: () => void
}

/**
 * Collects results for some milliseconds and writes them together, one batch at a time. While the database is unavailable,
 * results wait until their lease ends: after that another worker sends the delivery.
 */
export function createCompleter({ database, log }: { database: Database; log: Log }): Completer {
  const waiting: Waiting[] = []
  let isWriting = false
  let isClosed = false
  let backoffMs = 0

  async function writeAll(): Promise<void> {
    isWriting = true
    await delay(LINGER_MS)
    while (waiting.length > 0) {
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
      settle(
        batch,
        await completeDeliveries(
          database,
          batch.map(({ result }) => result),
        ),
      )
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
      }),
    close() {
      isClosed = true
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
