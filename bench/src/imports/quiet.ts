import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import { findPostgres } from '../postgres-process.ts'
import { familyMicroseconds, processorMicroseconds } from '../processor-time.ts'
import { tidy } from '../teams.ts'

const SAMPLE_MS = 500
/** A tenth of a processor: what polls and heartbeats take is less. */
const IDLE_MICROSECONDS = 50_000
const LIMIT_MS = 120_000

/**
 * Waits until a service has nothing to do: it has created its partitions, and folded the figures of what was written. Leaves no
 * work for later either: the records are not indexed for searches, so that none of that falls into a measurement.
 */
export async function quiet(service: { pid: number }, database: Database): Promise<void> {
  await waitUntilIdle(service.pid, database)
  await database.client`update search_lists set due_at = null`
  await tidy(database)
  await waitUntilIdle(service.pid, database)
}

async function waitUntilIdle(pid: number, database: Database): Promise<void> {
  const postgresPid = await findPostgres(database)
  const used = () => processorMicroseconds(pid) + familyMicroseconds(postgresPid)
  const untilMs = performance.now() + LIMIT_MS
  for (let before = used(); ; ) {
    await delay(SAMPLE_MS)
    const now = used()
    if (now - before < IDLE_MICROSECONDS) return
    if (performance.now() > untilMs) throw new Error('The service does not come to rest.')
    before = now
  }
}
