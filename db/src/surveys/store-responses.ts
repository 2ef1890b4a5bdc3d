import type { SurveyResponse } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { ForeignRowError } from '../driver/errors.ts'
import { quotaExceeded } from '../quotas.ts'
import { numbered } from '../sql/batch.ts'
import { statement } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import type { ResponseRow } from '../tables/surveys.ts'
import { type AnswerBucket, answerBuckets } from './answer-buckets.ts'
import { presentResponse } from './responses.ts'

/** What a visitor learns of a response. */
export type Receipt = Pick<ResponseRow, 'id' | 'created_at'>

/** A checked response that is not stored yet. */
export interface CheckedResponse {
  row: ResponseRow
  /** Whether its score is below the threshold of the team. */
  isLow: boolean
  /** Keyed hash of the answers and the address; null for a response that repeats none. */
  fingerprint: Buffer | null
}

/** `refusal` is the error of a response that is not stored: a used-up quota, or a survey that is none of its team. */
export type StoredResponse = { refusal: Error } | (Receipt & { is_repeat: boolean; refusal?: undefined })

/** A checked response with what is stored beside it. */
interface Item {
  fields: Omit<ResponseRow, 'created_at' | 'deleted_at'>
  buckets: AnswerBucket[]
  payload: { response: SurveyResponse }
  is_low: boolean
  /** Hexadecimal. */
  fingerprint: string | null
}

/** The id is null where the survey is none of the response's team. */
type StoredRow = (Receipt | { id: null; created_at: null }) & { is_repeat: boolean } & (
    | { quota_max: null }
    | { quota_max: number; quota_used: number; quota_resets_at: string }
  )

const store = statement<{ items: string }, StoredRow>(
  (p) => sql`
  select *
    from store_responses(${p.items}::jsonb)`,
)

/** Stores responses with their events, and charges the quota, in one statement. Returns a row for each, in their order. */
export async function storeResponses(tx: Tx, responses: readonly CheckedResponse[]): Promise<StoredResponse[]> {
  if (responses.length === 0) return []
  const rows = await store(tx, { items: numbered(responses.map(itemOf)) })
  return rows.map(storedResponse)
}

function itemOf({ row, isLow, fingerprint }: CheckedResponse): Item {
  const { created_at: _derived, deleted_at: _none, ...fields } = row
  return {
    fields,
    buckets: answerBuckets(row.answers),
    payload: { response: presentResponse(row) },
    is_low: isLow,
    fingerprint: fingerprint?.toString('hex') ?? null,
  }
}

function storedResponse({ id, created_at, is_repeat, ...quota }: StoredRow): StoredResponse {
  if (id === null) return { refusal: new ForeignRowError('A response is to a survey that is none of its team') }
  if (quota.quota_max === null) return { id, created_at, is_repeat }
  const { quota_max: limit, quota_used: used, quota_resets_at } = quota
  return { refusal: quotaExceeded({ quota: 'responses', limit, used, resets_at: toTimestamp(quota_resets_at) }) }
}
