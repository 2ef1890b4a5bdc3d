import { ApiError } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { idempotency_keys } from './tables/idempotency.ts'

export interface IdempotentRequest {
  /** The credential, or on the public plane address and public key: nobody replays another's secret. */
  caller: string
  key: string
  /** SHA-256 over the operation and its whole input. */
  requestHash: Buffer
}

const { placeholder } = sql
const WAIT = '10s'

const wait = statement<object, never>(sql`select set_config('lock_timeout', ${sql.raw(`'${WAIT}'`)}, true)`)

const claim = statement<IdempotentRequest, { claimed: boolean }>(sql`
  insert into ${idempotency_keys} as k (caller, key, request_hash)
  values (${placeholder('caller')}, ${placeholder('key')}, ${placeholder('requestHash')})
  on conflict (caller, key) do update set
    request_hash = excluded.request_hash,
    answer = null,
    created_at = now()
  where k.created_at < now() - interval '24 hours'
  returning true as claimed`)

const find = statement<{ caller: string; key: string }, { request_hash: Buffer; answer: string | null }>(sql`
  select request_hash, answer
    from ${idempotency_keys}
   where caller = ${placeholder('caller')} and key = ${placeholder('key')}`)

const store = statement<{ caller: string; key: string; answer: string }, never>(sql`
  update ${idempotency_keys}
     set answer = ${placeholder('answer')}
   where caller = ${placeholder('caller')} and key = ${placeholder('key')}`)

/**
 * Takes the key, first thing in the work's own transaction: parallel callers wait here for up to 10 s for its commit.
 * Gives the stored answer when there is one, null when the work is to be done. Throws `idempotency_key_reused` for
 * another request, `idempotency_in_progress` when the wait was in vain.
 */
export async function claimIdempotencyKey(tx: Tx, request: IdempotentRequest): Promise<string | null> {
  await wait(tx, {})
  const [claimed] = await claim(tx, request)
  if (claimed) return null
  const stored = onlyOne(await find(tx, request))
  if (!stored.request_hash.equals(request.requestHash)) throw new ApiError('idempotency_key_reused')
  if (stored.answer === null) throw new ApiError('idempotency_in_progress', { retryAfterSeconds: 1 })
  return stored.answer
}

/** Keeps the answer before the commit, so that a crash leaves either both or neither. */
export async function storeIdempotentAnswer(tx: Tx, request: { caller: string; key: string; answer: string }): Promise<void> {
  await store(tx, request)
}
