import type { ApiError } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type PublicAccessQuery, type PublicAccessRow, publicAccessRequests, readPublicAccesses } from '../access.ts'
import { withClaims } from '../driver/claims.ts'
import type { Tx } from '../driver/database.ts'
import { quotaExceeded } from '../quotas.ts'
import { batched, numbered } from '../sql/batch.ts'
import { statement } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import type { SubmissionRow } from '../tables/submissions.ts'
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

/** What became of its deliveries, and of those that came with it. */
interface Deliveries {
  claimed: unknown[] | null
  is_due: boolean
}

type QuotaRow = { quota_max: null } | { quota_used: number; quota_max: number; quota_resets_at: string }
type ReceptionRow = PublicAccessRow & Receipt & Deliveries & QuotaRow

/** `is_due` says whether deliveries are left for claims. */
export type Reception = PublicAccessRow & Receipt & { refusal: ApiError | undefined; is_due: boolean }

const receive = statement<{ requests: string; items: string; claims: string | null }, ReceptionRow>(
  (p) => sql`
  select *
    from receive_submissions(
      ${p.items}::jsonb, array(select a from public_access(${p.requests}::jsonb) a), ${p.claims}::jsonb
    )`,
)

const receiveCounted = statement<{ accesses: string; items: string; claims: string | null }, ReceptionRow>(
  (p) => sql`
  select *
    from receive_submissions(
      ${p.items}::jsonb, array(select a from jsonb_populate_recordset(null::public_access_row, ${p.accesses}::jsonb) a),
      ${p.claims}::jsonb
    )`,
)

/** A submission that comes within `ms` of the last batch waits that long for others, unless `items` wait already (ADR 86). */
const GATHER = { items: 16, ms: 20 }

const NOTHING_STORED = { id: null, created_at: null, is_repeat: null, refusal: undefined, is_due: false }

/** What counting returned, for when a batch is run again item by item. */
const counted = new WeakMap<PublicSubmission, PublicAccessRow>()

/**
 * Authorizes and stores a public submission. Those that come together share one statement when each is from an address of its
 * own. Otherwise they share two: the first authorizes and counts them, the second stores them. An address that occurs twice likely
 * occurs in other processes, too, which then do not wait for its counter while the second statement waits for the disk.
 * One batch is in flight: most of a statement is its preparation, so fewer and larger ones are quicker than two at once. For the
 * same reason those that come soon after a batch wait for more. The same words from the same address within ten minutes return the
 * first submission. `refusal` is the error of a used-up quota.
 */
export const receiveSubmission = batched<PublicSubmission, Reception>(receiveBatch, { maxBatches: 1, gather: GATHER })

async function receiveBatch(tx: Tx, submissions: PublicSubmission[]): Promise<Reception[]> {
  if (countsEachAddressOnce(submissions) && !submissions.some((submission) => counted.has(submission))) {
    const requests = JSON.stringify(publicAccessRequests(submissions.map(({ publicAccess }) => publicAccess)))
    const items = itemsOf(submissions)
    return receptionsOf(await withClaims(tx.claims, submissions.length, (claims) => receive(tx, { requests, items, claims })))
  }
  const accesses = await countOnce(tx, submissions)
  const admitted = submissions.filter((_submission, index) => isAdmitted(accesses[index]))
  const stored = (await store(tx, admitted, accesses.filter(isAdmitted))).values()
  // The row of a refused request has no values of a submission.
  return accesses.map((access) => (isAdmitted(access) ? stored.next().value : { ...access, ...NOTHING_STORED }) as Reception)
}

function countsEachAddressOnce(submissions: PublicSubmission[]): boolean {
  return new Set(submissions.map(({ publicAccess }) => publicAccess.subject)).size === submissions.length
}

async function countOnce(tx: Tx, submissions: PublicSubmission[]): Promise<PublicAccessRow[]> {
  const known = submissions.flatMap((submission) => counted.get(submission) ?? [])
  if (known.length === submissions.length) return known
  const accesses = await readPublicAccesses(
    tx,
    submissions.map(({ publicAccess }) => publicAccess),
  )
  for (const [index, submission] of submissions.entries()) if (accesses[index]) counted.set(submission, accesses[index])
  return accesses
}

async function store(tx: Tx, submissions: PublicSubmission[], accesses: PublicAccessRow[]): Promise<Reception[]> {
  if (submissions.length === 0) return []
  const values = { accesses: numbered(accesses), items: itemsOf(submissions) }
  return receptionsOf(await withClaims(tx.claims, submissions.length, (claims) => receiveCounted(tx, { ...values, claims })))
}

function isAdmitted(access: PublicAccessRow | undefined): boolean {
  return access !== undefined && access.used !== null && access.project_id !== null
}

function itemsOf(submissions: PublicSubmission[]): string {
  const items = submissions.map(({ fields, revokeTokenHash, fingerprint }) => ({
    fields,
    revoke_token_hash: revokeTokenHash.toString('hex'),
    fingerprint: fingerprint.toString('hex'),
  }))
  return numbered(items)
}

function receptionsOf(rows: ReceptionRow[]): Reception[] {
  // What was claimed is for the worker alone.
  return rows.map((row) => ({ ...row, claimed: undefined, refusal: refusalOf(row) }))
}

function refusalOf(row: QuotaRow): ApiError | undefined {
  if (row.quota_max === null) return undefined
  return quotaExceeded({ quota: 'submissions', limit: row.quota_max, used: row.quota_used, resets_at: toTimestamp(row.quota_resets_at) })
}
