import { ApiError, type Quota } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/tx.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { toTimestamp } from './sql/timestamps.ts'

/** Where a team, or a user who creates teams, stands in a quota. */
export interface QuotaStatus {
  quota: Quota | 'teams'
  limit: number
  used: number
  /** When a monthly quota begins anew; null for quotas that count what exists. */
  resets_at: string | null
}

/** The refusal of everything that a quota bounds. */
export function quotaExceeded(status: QuotaStatus): ApiError {
  return new ApiError('quota_exceeded', { ...status })
}

const consume = statement<{ team_id: string; quota: Quota }, { granted: number; used: number; max: number; resets_at: string }>(
  (p) => sql`
  select *
    from consume_quota(${p.team_id}::uuid, ${p.quota}::text)`,
)

/**
 * Uses up one unit of a monthly quota. Throws `quota_exceeded`. Call it last in a transaction: all writers of a team meet at
 * the quota's row, so it is locked for the shortest time.
 */
export async function consumeQuota(tx: Tx, team_id: string, quota: Quota): Promise<void> {
  const { granted, used, max, resets_at } = onlyOne(await consume(tx, { team_id, quota }))
  if (granted === 0) throw quotaExceeded({ quota, limit: max, used, resets_at: toTimestamp(resets_at) })
}
