import { createHash } from 'node:crypto'
import { ApiError, sizes } from '@earshot/contracts'
import { claimIdempotencyKey, type Executor, storeIdempotentAnswer, type Tx } from '@earshot/db'
import type { SecretBox } from '@earshot/drivers'

const PURPOSE = 'idempotent-answer'
const KEY = /^[\x21-\x7e]+$/

/** What a handler answered, or why it refused, and whether that was said before. */
export type Answer = ({ output: unknown } | { refusal: ApiError }) & { replayed: boolean }

interface KeyedRequest {
  caller: string
  key: string
  /** Name of the operation with its whole input: another one with the same key is refused. */
  operation: string
  input: unknown
}

/** What is done under a key. Refusals of `admit` are no answers: they are never stored. */
export interface KeyedWork {
  admit: () => void
  work: (tx: Tx) => Promise<unknown>
}

/** Without an output where there is none to send (204): JSON leaves it out. */
type StoredAnswer =
  | { output?: unknown }
  | { error: { code: 'quota_exceeded' | 'state_conflict'; detail: string; fields: Record<string, unknown> } }

/** Throws when the header is no key. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (KEY.test(header) && header.length <= sizes.idempotencyKeyCharacters) return header
  const detail = `must have 1 to ${sizes.idempotencyKeyCharacters} visible ASCII characters`
  throw new ApiError('validation_error', { errors: [{ field: 'Idempotency-Key', code: 'invalid_format', detail }] })
}

/**
 * Does the work once per key: the key's row comes first in the work's own transaction, its answer, sealed, before the
 * commit. Refusals of a handler that ran (402, 409) are answers too; everything else rolls back and leaves nothing.
 */
export async function performOnce(
  { executor, secretBox }: { executor: Executor; secretBox: SecretBox },
  { caller, key, operation, input }: KeyedRequest,
  { admit, work }: KeyedWork,
): Promise<Answer> {
  const requestHash = createHash('sha256')
    .update(JSON.stringify([operation, sorted(input)]))
    .digest()
  const context = `${caller} ${key}`
  return executor.transaction(async (tx) => {
    const stored = await claimIdempotencyKey(tx, { caller, key, requestHash })
    if (stored !== null) return said(JSON.parse(secretBox.open(PURPOSE, Buffer.from(stored, 'base64'), context)), true)
    admit()
    const answer = await tx.attempt(work).then((output): StoredAnswer => ({ output }), storable)
    const sealed = secretBox.seal(PURPOSE, JSON.stringify(answer), context).toString('base64')
    await storeIdempotentAnswer(tx, { caller, key, answer: sealed })
    return said(answer, false)
  })
}

function said(answer: StoredAnswer, replayed: boolean): Answer {
  if (!('error' in answer)) return { output: answer.output, replayed }
  const { code, detail, fields } = answer.error
  // The fields were this code's own when they were stored.
  return { refusal: new ApiError(code, { detail, ...fields } as never), replayed }
}

function storable(error: unknown): StoredAnswer {
  if (!(error instanceof ApiError) || ![402, 409].includes(error.status)) throw error
  return { error: { code: error.code as 'state_conflict', detail: error.message, fields: error.fields } }
}

/** Keys in order, so that the same input in another spelling is the same request. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  )
}
