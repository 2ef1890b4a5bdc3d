import { ApiError, type Quota } from '@earshot/contracts'

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
