import type { Happened } from './faults.ts'
import type { History } from './history.ts'

/** From a worker's death to the receipt of what it held, by others, in milliseconds, sorted. */
export function recoveriesMs({ attempts, receipts }: History, happened: readonly Happened[]): number[] {
  const kills = happened.filter(({ kind, role }) => kind === 'kill' && role === 'worker')
  const lastStarts = new Map<number, number>()
  for (const { worker_id, started_ms } of attempts) lastStarts.set(worker_id, Math.max(started_ms, lastStarts.get(worker_id) ?? 0))
  const byDelivery = Map.groupBy(receipts, ({ deliveryId }) => deliveryId)
  const found = attempts.flatMap(({ error_code, worker_id, delivery_id, finished_ms }) => {
    if (error_code !== 'interrupted' || finished_ms === null) return []
    // The first kill after the worker's last claim is its own, unless it went on under another id.
    const death = kills.find(({ atMs }) => atMs >= (lastStarts.get(worker_id) ?? 0))
    if (!death || death.atMs > finished_ms) return []
    const cameAt = (byDelivery.get(delivery_id) ?? []).map(({ atMs }) => atMs).filter((atMs) => atMs > finished_ms)
    return [Math.round(Math.min(...cameAt) - death.atMs)]
  })
  return found.sort((one, other) => one - other)
}

/** Requests beyond the first of each delivery. */
export function countDuplicates({ receipts }: History): number {
  return receipts.length - new Set(receipts.map(({ deliveryId }) => deliveryId)).size
}

/** Of sorted values; 0 of none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
