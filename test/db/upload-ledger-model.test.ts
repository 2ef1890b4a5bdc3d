import { randomUUID } from 'node:crypto'
import {
  announceBlob,
  appendParts,
  declareLength,
  listParts,
  releaseLease,
  renewLease,
  takeLease,
  terminateUpload,
  type VideoLease,
} from '@earshot/db'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { type ReservedUpload, reserveUpload } from '../support/uploads.ts'

const RUNS = 150
const HOLDERS = 3
const MAX_BYTES = 60
const LONGEST_MS = 120_000

/** What a holder does; `append` at the offset that it knows, or at another one. */
type Move =
  | { kind: 'take'; holder: number }
  | { kind: 'renew'; holder: number }
  | { kind: 'release'; holder: number }
  | { kind: 'append'; holder: number; sizes: number[]; shift: number }
  | { kind: 'declare'; holder: number; size: number }
  | { kind: 'sleep' }
  | { kind: 'terminate' }

/** An upload as it should be. */
interface Model {
  isOpen: boolean
  size: number | null
  parts: number[]
  lease: number
  isLeased: boolean
  /** The numbers that the holders have. */
  held: (number | null)[]
}

let store: TestDatabase
let team: Team
beforeAll(async () => {
  store = await openTestDatabase()
  team = await makeTeam(store.database)
})
afterAll(() => store.close())

const holder = fc.nat(HOLDERS - 1)
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 20, arbitrary: fc.record({ kind: fc.constant('take' as const), holder }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('renew' as const), holder }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('release' as const), holder }) },
  {
    weight: 60,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      holder,
      sizes: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 3 }),
      shift: fc.constantFrom(0, 0, 0, 1, -1),
    }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('declare' as const), holder, size: fc.integer({ min: 1, max: MAX_BYTES + 5 }) }) },
  { weight: 20, arbitrary: fc.constant({ kind: 'sleep' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'terminate' as const }) },
)

test(
  'under any moves of several holders the offset, the parts and the lease are those of the model',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 30, size: 'max' }), async (moves) => {
        const upload = await reserveUpload(store.database, team.project, { size: null, maxBytes: MAX_BYTES })
        const leases: (VideoLease | null)[] = Array(HOLDERS).fill(null)
        const model: Model = { isOpen: true, size: null, parts: [], lease: 0, isLeased: false, held: Array(HOLDERS).fill(null) }
        for (const each of moves) {
          expect([each, await perform(each, upload, leases)]).toEqual([each, expected(each, model)])
          expect([each, await stateOf(upload)]).toEqual([each, { parts: model.parts, offset: sum(model.parts), size: model.size }])
        }
      }),
      { numRuns: RUNS },
    )
  },
  LONGEST_MS,
)

async function perform(each: Move, { ref, id }: ReservedUpload, leases: (VideoLease | null)[]): Promise<unknown> {
  const { database } = store
  if (each.kind === 'sleep')
    return void (await database.run(
      "update videos set leased_until = now() - interval '1 second' where id = $1 and leased_until is not null",
      [id],
    ))
  if (each.kind === 'terminate') return terminateUpload(database, ref)
  if (each.kind === 'take') {
    const lease = await takeLease(database, ref)
    if (lease) leases[each.holder] = lease
    return lease !== null
  }
  const lease = leases[each.holder]
  if (!lease) return undefined
  if (each.kind === 'renew') return renewLease(database, lease)
  if (each.kind === 'release') return void (await releaseLease(database, lease))
  if (each.kind === 'declare') return declareLength(database, lease, each.size)
  const [row] = await database.run<{ offset_bytes: number }>('select offset_bytes from videos where id = $1', [id])
  const parts = each.sizes.map((size_bytes) => ({ key: `uploads/${randomUUID()}`, size_bytes }))
  for (const { key } of parts) await announceBlob(database, { team_id: team.id, key })
  return appendParts(database, lease, { first_byte: (row?.offset_bytes ?? 0) + each.shift, parts })
}

function expected(each: Move, model: Model): unknown {
  if (each.kind === 'sleep') return sleep(model)
  if (each.kind === 'terminate') return terminate(model)
  if (each.kind === 'take') return take(model, each.holder)
  const number = model.held[each.holder]
  if (number === null) return undefined
  const isHeld = number === model.lease
  if (each.kind === 'release') return void (isHeld && Object.assign(model, { isLeased: false }))
  const mayWrite = isHeld && model.isOpen
  if (each.kind === 'renew') return mayWrite && Boolean(Object.assign(model, { isLeased: true }))
  const offset = sum(model.parts)
  if (each.kind === 'declare') {
    if (!mayWrite || model.size !== null || each.size < offset || each.size > MAX_BYTES) return false
    model.size = each.size
    return true
  }
  if (!mayWrite || each.shift !== 0 || offset + sum(each.sizes) > (model.size ?? MAX_BYTES)) return null
  model.parts.push(...each.sizes)
  model.isLeased = true
  return sum(model.parts)
}

function sleep(model: Model): void {
  model.isLeased = false
}

function terminate(model: Model): boolean {
  if (!model.isOpen) return false
  Object.assign(model, { isOpen: false, isLeased: false, lease: model.lease + 1, parts: [] })
  return true
}

function take(model: Model, index: number): boolean {
  if (!model.isOpen || model.isLeased) return false
  model.lease += 1
  model.isLeased = true
  model.held[index] = model.lease
  return true
}

async function stateOf({ ref, id }: ReservedUpload) {
  const parts = await listParts(store.database, ref)
  const [row] = await store.database.run<{ offset_bytes: number; size_bytes: number | null; deleted: boolean }>(
    'select offset_bytes, size_bytes, deleted_at is not null as deleted from videos where id = $1',
    [id],
  )
  // A deleted upload keeps its offset, for nobody to see.
  return { parts: parts.map(({ size_bytes }) => size_bytes), offset: row?.deleted ? 0 : row?.offset_bytes, size: row?.size_bytes }
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}
