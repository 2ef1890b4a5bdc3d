import type { Happened } from './faults.ts'
import type { Span } from './fleet.ts'
import type { History } from './history.ts'

/**
 * The time from a worker’s death until others delivered what it held. When no worker ran or PostgreSQL was away meanwhile, it counts
 * from the end of that: whoever had begun to recover has to begin again.
 */
export interface Recovery extends Span {
  /** Without times when the receiver was away, or the delivery waited for its next attempt after one that failed because of that. */
  ms: number
}

/** Returns one for each attempt that a killed worker left open. */
export function recoveriesOf({ attempts, receipts }: History, happened: readonly Happened[], idle: readonly Span[]): Recovery[] {
  const kills = happened.filter(({ kind, role }) => kind === 'kill' && role === 'worker')
  const restarts = [...idle, ...happened.filter(({ kind }) => kind === 'restart' || kind === 'database away')]
  const absences = happened.filter(({ kind }) => kind === 'receiver away')
  const lastStarts = new Map<number, number>()
  for (const { worker_id, started_ms } of attempts) lastStarts.set(worker_id, Math.max(started_ms, lastStarts.get(worker_id) ?? 0))
  const byDelivery = Map.groupBy(receipts, ({ deliveryId }) => deliveryId)
  const attemptsOf = Map.groupBy(attempts, ({ delivery_id }) => delivery_id)
  return attempts.flatMap(({ error_code, worker_id, delivery_id, finished_ms }) => {
    if (error_code !== 'interrupted' || finished_ms === null) return []
    // The first kill after the worker’s last claim is its own, unless it continued under another id.
    const death = kills.find(({ toMs }) => toMs >= (lastStarts.get(worker_id) ?? 0))
    if (!death || death.toMs > finished_ms) return []
    const cameAt = (byDelivery.get(delivery_id) ?? []).map(({ atMs }) => atMs).filter((atMs) => atMs > finished_ms)
    const toMs = Math.min(...cameAt)
    const fromMs = Math.max(death.toMs, ...restarts.map((restart) => restart.toMs).filter((endMs) => endMs <= toMs))
    const span = { fromMs, toMs }
    const awayMs = joined([...absences, ...waitsOf(attemptsOf.get(delivery_id) ?? [])]).reduce(
      (sum, absence) => sum + overlapMs(span, absence),
      0,
    )
    return [{ ...span, ms: toMs - fromMs - awayMs }]
  })
}

/** Returns the time from each attempt that failed at the receiver to the next one. */
function waitsOf(attempts: History['attempts']): Span[] {
  return attempts.flatMap(({ error_code, status_code, finished_ms, number }) => {
    const next = attempts.find((attempt) => attempt.number === number + 1)
    const isReceivers = error_code !== 'interrupted' && status_code !== 200
    return isReceivers && finished_ms !== null && next ? [{ fromMs: finished_ms, toMs: next.started_ms }] : []
  })
}

/** Counts the requests beyond the first of each delivery. */
export function countDuplicates({ receipts }: History): number {
  return receipts.length - new Set(receipts.map(({ deliveryId }) => deliveryId)).size
}

/** Returns a percentile, 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Merges spans that overlap or touch. */
function joined(spans: Span[]): Span[] {
  const apart: Span[] = []
  for (const { fromMs, toMs } of spans.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = apart.at(-1)
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs)
    else apart.push({ fromMs, toMs })
  }
  return apart
}

function overlapMs(one: Span, other: Span): number {
  return Math.max(0, Math.min(one.toMs, other.toMs) - Math.max(one.fromMs, other.fromMs))
}
