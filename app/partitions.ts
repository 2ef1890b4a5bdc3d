import { type DatabaseAddress, openDatabase } from '@earshot/db'
import { ensurePartitions } from '@earshot/db/maintenance'
import type { Log } from '@earshot/server'

const HOUR_MS = 3_600_000

/**
 * Creates the partitions of the coming days once an hour, in every process, so that writing depends on no worker. Returns a
 * function that ends it. The start of the process has created them once.
 */
export function keepPartitions(
  { address, log }: { address: DatabaseAddress; log: Pick<Log, 'warn'> },
  intervalMs: number = HOUR_MS,
): () => Promise<void> {
  let running = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasEnded = false
  const run = async () => {
    const database = openDatabase({ address, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot partitions' })
    await ensurePartitions(database)
      .catch((err) => log.warn({ err }, 'Cannot create the partitions of the coming days; the next try is in an hour'))
      .finally(database.close)
  }
  const runLater = () => {
    timer = setTimeout(() => {
      running = run().then(() => (hasEnded ? undefined : runLater()))
    }, intervalMs)
  }
  runLater()
  return async () => {
    hasEnded = true
    clearTimeout(timer)
    await running
  }
}
