import type { Database } from '@earshot/db'
import {
  type Backlog,
  type QueueDepth,
  readBacklog,
  readPartitionDaysAhead,
  readQueueDepths,
  readStoredDeliveries,
  readWaitingVideos,
  type WaitingVideos,
} from '@earshot/db/maintenance'
import { Gauge, type Registry } from 'prom-client'
import type { Log } from './log.ts'

/** The database is queried at most this often, however many scrapers there are. */
const FRESH_MS = 5_000

interface Reading {
  backlog: Backlog
  queue: QueueDepth[]
  stored: { state: string; stored: number }[]
  partitions: { table: string; days: number }[]
  videos: WaitingVideos
}

/** Registers gauges of waiting work, read from the database on each scrape. While it is unreachable they have no value. */
export function registerBacklogMetrics(metrics: Registry, { database, log }: { database: Database; log: Log }): void {
  const read = keepFresh(async (): Promise<Reading | null> => {
    try {
      const [backlog, queue, stored, partitions, videos] = await Promise.all([
        readBacklog(database),
        readQueueDepths(database),
        readStoredDeliveries(database),
        readPartitionDaysAhead(database),
        readWaitingVideos(database),
      ])
      return { backlog, queue, stored, partitions, videos }
    } catch (err) {
      log.warn({ err }, 'cannot read the backlog for the metrics')
      return null
    }
  })

  function gauge<Label extends string>(name: string, help: string, labelNames: Label[], set: (to: Gauge<Label>, reading: Reading) => void) {
    const made: Gauge<Label> = new Gauge({ name, help, labelNames, registers: [metrics], collect })
    async function collect() {
      const reading = await read()
      made.reset()
      if (reading) set(made, reading)
      // A gauge without labels would report zero after a reset.
      else if (labelNames.length === 0) made.remove()
    }
  }

  gauge('earshot_webhook_deliveries', 'Deliveries that have not ended, by state.', ['state'], (to, { backlog }) => {
    to.set({ state: 'pending' }, backlog.pending)
    to.set({ state: 'sending' }, backlog.sending)
  })
  const storedHelp = 'Deliveries of the last 30 days, by state: an estimate, as of the last ANALYZE.'
  gauge('earshot_webhook_deliveries_stored', storedHelp, ['state'], (to, { stored }) => {
    for (const each of stored) to.set({ state: each.state }, each.stored)
  })
  const dueHelp = 'Pending deliveries that could be sent now, to endpoints without a limit.'
  gauge('earshot_webhook_deliveries_due', dueHelp, [], (to, { backlog }) => to.set(backlog.due))
  const oldestHelp = 'How long the oldest due delivery to an endpoint without a limit has been due.'
  gauge('earshot_webhook_oldest_due_seconds', oldestHelp, [], (to, { backlog }) => to.set(backlog.oldest_due_seconds))
  gauge('earshot_partition_days_ahead', 'For how many days after today a table has partitions.', ['table'], (to, { partitions }) => {
    for (const { table, days } of partitions) to.set({ table }, days)
  })
  gauge('earshot_queue_jobs', 'Jobs in the queue, by task and state.', ['task', 'state'], (to, { queue }) => {
    for (const { task, ready, running, waiting, given_up } of queue) {
      for (const [state, count] of Object.entries({ ready, running, waiting, given_up })) to.set({ task, state }, count)
    }
  })
  gauge('earshot_videos_waiting', 'Videos that wait for their transcode.', [], (to, { videos }) => to.set(videos.waiting))
  gauge('earshot_videos_oldest_waiting_seconds', 'How long the oldest video has waited for its transcode.', [], (to, { videos }) =>
    to.set(videos.oldest_seconds),
  )
  gauge('earshot_queue_oldest_ready_seconds', 'How long the oldest ready job has been ready.', [], (to, { queue }) =>
    to.set(Math.max(0, ...queue.map(({ oldest_ready_seconds }) => oldest_ready_seconds))),
  )
}

/** Caches a reading. Concurrent callers share one query. */
function keepFresh<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    if (reading === undefined || performance.now() - readAt > FRESH_MS) {
      readAt = performance.now()
      reading = read()
    }
    return reading
  }
}
