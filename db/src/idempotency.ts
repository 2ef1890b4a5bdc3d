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

// The timeout holds for the claim alone: what the work waits for is not this key.
const claim = statement<IdempotentRequest & { hours: number }, { claimed: boolean }>(
  (p) => sql`
  insert into ${idempotency_keys} as k (caller, key, request_hash)
  select ${p.caller}, ${p.key}, ${p.requestHash}::bytea
   where set_config('lock_timeout', ${sql.raw(`'${CLAIM_TIMEOUT}'`)}, true) is not null
  on conflict (caller, key) do update set
    request_hash = excluded.request_hash,
    result = null,
    created_at = now()
  where k.created_at < now() - ${p.hours}::int * interval '1 hour'
  returning set_config('lock_timeout', '0', true) is not null as claimed`,
)

const find = statement<KeyRef, { request_hash: Buffer; result: string | null }>(
  (p) => sql`
  select request_hash, result
    from ${idempotency_keys}
   where caller = ${p.caller} and key = ${p.key}`,
)

const store = statement<KeyRef & { result: string }, never>(
  (p) => sql`
  update ${idempotency_keys}
     set result = ${p.result}
   where caller = ${p.caller} and key = ${p.key}`,
)

/**
 * Claims the key, as the first step of the work's own transaction: parallel callers wait here up to 10 s for its commit.
 * Returns the stored result, or null when the work is to be done. Throws `idempotency_key_reused` for another request,
 * and `idempotency_in_progress` when the first one takes longer.
 */
export async function claimIdempotencyKey(tx: Tx, { caller, key, requestHash }: IdempotentRequest): Promise<string | null> {
  const [claimed] = await claim(tx, { caller, key, requestHash, hours: durations.idempotencyKeyHours }).catch((error) => {
    throw isLockTimeout(error) ? inProgress() : error
  })
  if (claimed) return null
  const stored = onlyOne(await find(tx, { caller, key }))
  if (!stored.request_hash.equals(requestHash)) throw new ApiError('idempotency_key_reused')
  if (stored.result === null) throw inProgress()
  return stored.result
}

function inProgress(): ApiError {
  return new ApiError('idempotency_in_progress', { retryAfterSeconds: 1 })
}

/** Stores the result before the commit, so that a crash leaves both the work and its result, or neither. */
export async function storeIdempotentResult(tx: Tx, request: KeyRef & { result: string }): Promise<void> {
  await store(tx, request)
}
