import type { ApiError } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type PublicAccessQuery, type PublicAccessRow, publicAccessRequests } from '../access.ts'
import { quotaExceeded } from '../quotas.ts'
import { statement } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import type { SubmissionRow } from '../tables/submissions.ts'
import { batched } from './batch.ts'
import type { NewSubmission } from './create.ts'

/** A submission from the public plane, with the request that brings it. */
interface PublicSubmission {
  publicAccess: PublicAccessQuery
  fields: NewSubmission
  revokeTokenHash: Buffer
  /** Keyed hash of the words and the address. */
  fingerprint: Buffer
}

/** Null where the request was refused. */
type Receipt = Pick<SubmissionRow, 'id' | 'created_at'> & { is_repeat: boolean }
type ReceptionRow = PublicAccessRow & Receipt & ({ quota_max: null } | { quota_used: number; quota_max: number; quota_resets_at: string })
export type Reception = PublicAccessRow & Receipt & { refusal: ApiError | undefined }

const receive = statement<{ items: string }, ReceptionRow>(
  (p) => sql`
  select *
    from receive_submissions(${p.items}::jsonb)`,
)

/**
 * Authorizes and stores a public submission, in one round trip for many of them when many come at once. The same words
 * from the same address within ten minutes return the first submission. `refusal` is the error of a used-up quota.
 */
export const receiveSubmission = batched<PublicSubmission, Reception>(async (tx, submissions) => {
  const requests = publicAccessRequests(submissions.map(({ publicAccess }) => publicAccess))
  const items = submissions.map(({ fields, revokeTokenHash, fingerprint }, index) => ({
    ...requests[index],
    fields,
    revoke_token_hash: revokeTokenHash.toString('hex'),
    fingerprint: fingerprint.toString('hex'),
  }))
  const rows = await receive(tx, { items: JSON.stringify(items) })
  return rows.map((row) => ({ ...row, refusal: refusalOf(row) }))
})

function refusalOf(row: ReceptionRow): ApiError | undefined {
  if (row.quota_max === null) return undefined
  return quotaExceeded({ quota: 'submissions', limit: row.quota_max, used: row.quota_used, resets_at: toTimestamp(row.quota_resets_at) })
}
