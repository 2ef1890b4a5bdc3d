import type { ApiError } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { PublicAccessQuery, PublicAccessRow } from '../access.ts'
import { refusalOf } from '../driver/errors.ts'
import { statement } from '../sql/statement.ts'
import { gathered } from './batch.ts'
import type { NewSubmission, SubmissionRow } from './submissions.ts'

const { placeholder } = sql

// By project: two of these statements then do not wait for each other's rows in a circle.
const receive = statement<{ items: string }, ReceptionRow>(sql`
  select r.*
    from (
      select item, number
        from jsonb_array_elements(${placeholder('items')}::jsonb) with ordinality e (item, number)
       order by item ->> 'publicKey'
    ) i
   cross join lateral receive_submission(
     item ->> 'publicKey', item ->> 'subject', item ->> 'address', (item ->> 'max')::int, (item ->> 'windowSeconds')::int,
     item -> 'fields', decode(item ->> 'revokeTokenHash', 'hex'), decode(item ->> 'fingerprint', 'hex')
   ) r
   order by i.number`)

/** What a visitor is told; all null where the visit or the arrival was refused. */
type Receipt = Pick<SubmissionRow, 'id' | 'created_at'> & { is_repeat: boolean }
type ReceptionRow = PublicAccessRow & Receipt & { refusal: string | null; refusal_fields: string | null }
export type Reception = PublicAccessRow & Receipt & { refusal: ApiError | undefined }

interface Words {
  publicAccess: PublicAccessQuery
  fields: NewSubmission
  revokeTokenHash: Buffer
  /** Keyed hash of the words and the address: the same within ten minutes is the same submission. */
  fingerprint: Buffer
}

/**
 * As `createSubmission`, for a visitor, and the visit with it: one round trip, for many visitors at once where many come.
 * The same words from the same address within ten minutes are the first ones again.
 */
export const receiveSubmission = gathered<Words, Reception>(async (tx, words) => {
  const items = words.map(({ publicAccess: { limit, ...publicAccess }, fields, revokeTokenHash, fingerprint }) => ({
    ...publicAccess,
    ...limit,
    fields,
    revokeTokenHash: revokeTokenHash.toString('hex'),
    fingerprint: fingerprint.toString('hex'),
  }))
  const rows = await receive(tx, { items: JSON.stringify(items) })
  return rows.map(({ refusal, refusal_fields, ...row }) => ({
    ...row,
    refusal: refusal === null ? undefined : refusalOf(refusal, refusal_fields),
  }))
})
