import { ApiError, durations } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { isLockTimeout } from './driver/errors.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { idempotency_keys } from './tables/idempotency.ts'

interface KeyRef {
  /** The credential, or on the public plane address and public key: nobody replays another caller's secret. */
  caller: string
  key: string
}

export interface IdempotentRequest extends KeyRef {
  /** Keyed hash (HMAC-SHA256) of the operation and its whole input. */
  requestHash: Buffer
}

const CLAIM_TIMEOUT = '10s'

// A key is forgotten after its hours, whenever its row is deleted.
const isForgotten = sql`created_at < now() - ${sql.raw(`interval '${durations.idempotencyKeyHours} hours'`)}`

// The timeout holds for the claim alone: what the work waits for is not this key.
const claim = statement<IdempotentRequest, { claimed: boolean }>(
  (p) => sql`
  insert into ${idempotency_keys} as k (caller, key, request_hash)
  select ${p.caller}, ${p.key}, ${p.requestHash}::bytea
   where set_config('lock_timeout', ${sql.raw(`'${CLAIM_TIMEOUT}'`)}, true) is not null
  on conflict (caller, key) do update set
    request_hash = excluded.request_hash,
    result = null,
    person_macs = null,
    created_at = now()
  where k.${isForgotten}
  returning set_config('lock_timeout', '0', true) is not null as claimed`,
)

/** A sealed result, with the MACs of the people whom it names, hexadecimal: an erasure finds it by them. */
interface StoredResult extends KeyRef {
  result: string
  personMacs: string[]
}

interface StoredKey {
  request_hash: Buffer
  result: string | null
  is_forgotten: boolean
}

const find = statement<KeyRef, StoredKey>(
  (p) => sql`
  select request_hash, result, ${isForgotten} as is_forgotten
    from ${idempotency_keys}
   where caller = ${p.caller} and key = ${p.key}`,
)

const store = statement<StoredResult, never>(
  (p) => sql`
  update ${idempotency_keys}
     set result = ${p.result}, person_macs = (select array_agg(decode(m, 'hex')) from unnest(${p.personMacs}::text[]) m)
   where caller = ${p.caller} and key = ${p.key}`,
)

/**
 * Claims the key, as the first step of the work's own transaction: parallel callers wait here up to 10 s for its commit.
 * Returns the stored result, or null when the work is to be done. Throws `idempotency_key_reused` for another request,
 * and `idempotency_in_progress` when the first one takes longer.
 */
export async function claimIdempotencyKey(tx: Tx, { caller, key, requestHash }: IdempotentRequest): Promise<string | null> {
  const [claimed] = await claim(tx, { caller, key, requestHash }).catch((error) => {
    throw isLockTimeout(error) ? inProgress() : error
  })
  if (claimed) return null
  return resultOf(onlyOne(await find(tx, { caller, key })), requestHash) ?? Promise.reject(inProgress())
}

/** Returns the stored result of a key, null when there is none yet. Throws `idempotency_key_reused` for another request. */
export async function findIdempotentResult(tx: Tx, { caller, key, requestHash }: IdempotentRequest): Promise<string | null> {
  const [stored] = await find(tx, { caller, key })
  return stored && !stored.is_forgotten ? resultOf(stored, requestHash) : null
}

function resultOf(stored: StoredKey, requestHash: Buffer): string | null {
  if (!stored.request_hash.equals(requestHash)) throw new ApiError('idempotency_key_reused')
  return stored.result
}

function inProgress(): ApiError {
  return new ApiError('idempotency_in_progress', { retryAfterSeconds: 1 })
}

/** Stores the result before the commit, so that a crash leaves both the work and its result, or neither. */
export async function storeIdempotentResult(tx: Tx, request: StoredResult): Promise<void> {
  await store(tx, request)
}
