import { ApiError, sizes } from '@earshot/contracts'
import { claimIdempotencyKey, findIdempotentResult, storeIdempotentResult, type Tx, transaction } from '@earshot/db'
import type { Services } from '../services.ts'
import { personMacsIn } from './person-macs.ts'

const PURPOSE = 'idempotent-result'
const KEY = /^[\x21-\x7e]+$/

/** The output of an operation or the error that it refused with, and whether it is replayed from an earlier request. */
export type OperationResult = ({ output: unknown } | { refusal: ApiError }) & { replayed: boolean }

interface KeyedRequest {
  caller: string
  /** The team of the request; null for none. */
  teamId: string | null
  key: string
  /** The same key with another operation or input is refused. */
  operation: string
  input: unknown
}

/** The work of a request with a key. Errors of `admit` and `prepare` are never stored. */
export interface KeyedWork<Prepared = unknown> {
  admit: () => void
  /** What waits for something else than PostgreSQL. Done before the transaction, and not for a replay. */
  prepare: (() => Promise<Prepared>) | null
  work: (tx: Tx, prepared: Prepared | null) => Promise<unknown>
}

/** A result as it is stored. JSON leaves out the output of a 204. */
type StoredResult =
  | { output?: unknown }
  | { error: { code: 'quota_exceeded' | 'state_conflict'; detail: string; fields: Record<string, unknown> } }

/** Returns the key of the header, null without one. Throws `validation_error` for an invalid key. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (KEY.test(header) && header.length <= sizes.idempotencyKeyCharacters) return header
  const detail = `must have 1 to ${sizes.idempotencyKeyCharacters} visible ASCII characters`
  throw new ApiError('validation_error', { errors: [{ field: 'Idempotency-Key', code: 'invalid_format', detail }] })
}

/**
 * Does the work once per key. The work's own transaction first claims the key and last stores the sealed result.
 * Errors 402 and 409 of the handler are results too; every other error rolls back and stores nothing.
 */
export async function performOnce(
  { tx, services: { secretBox, keyQueue } }: { tx: Tx; services: Pick<Services, 'secretBox' | 'keyQueue'> },
  { caller, teamId, key, operation, input }: KeyedRequest,
  { admit, prepare, work }: KeyedWork,
): Promise<OperationResult> {
  // With a key of ours, so that a copy of the table does not help to guess what was sent.
  const requestHash = secretBox.mac('idempotent-request', JSON.stringify([operation, sorted(input)]))
  const context = `${caller} ${key}`
  const request = { caller, key, requestHash }
  const replay = (stored: string) => toResult(JSON.parse(secretBox.open(PURPOSE, Buffer.from(stored, 'base64'), context)), true)
  return keyQueue.run(caller, key, async () => {
    let prepared: unknown = null
    if (prepare) {
      const stored = await findIdempotentResult(tx, request)
      if (stored !== null) return replay(stored)
      admit()
      prepared = await prepare()
    }
    return transaction(tx, async (tx) => {
      const stored = await claimIdempotencyKey(tx, request)
      if (stored !== null) return replay(stored)
      admit()
      const result = await tx.attempt((part) => work(part, prepared)).then((output): StoredResult => ({ output }), storedError)
      const sealed = secretBox.seal(PURPOSE, JSON.stringify(result), context).toString('base64')
      await storeIdempotentResult(tx, { caller, key, result: sealed, personMacs: personMacsIn(secretBox, teamId, result) })
      return toResult(result, false)
    })
  })
}

function toResult(stored: StoredResult, replayed: boolean): OperationResult {
  if (!('error' in stored)) return { output: stored.output, replayed }
  const { code, detail, fields } = stored.error
  // The fields belonged to this code when they were stored.
  return { refusal: new ApiError(code, { detail, ...fields } as never), replayed }
}

function storedError(error: unknown): StoredResult {
  if (!(error instanceof ApiError) || ![402, 409].includes(error.status)) throw error
  return { error: { code: error.code as 'state_conflict', detail: error.message, fields: error.fields } }
}

/** Sorts the keys of objects, so that their order does not make another request. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  )
}
