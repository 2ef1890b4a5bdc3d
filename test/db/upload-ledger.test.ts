import { randomUUID } from 'node:crypto'
import {
  abandonBlob,
  announceBlob,
  appendParts,
  declareLength,
  findUpload,
  listParts,
  releaseLease,
  renewLease,
  takeLease,
  terminateUpload,
  type VideoLease,
} from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { offsetOf, type ReservedUpload, reserveUpload, tokenHashOf } from '../support/uploads.ts'

let store: TestDatabase
let team: Team
beforeAll(async () => {
  store = await openTestDatabase()
  team = await makeTeam(store.database)
})
afterAll(() => store.close())

const reserve = (size: number | null = 100, rest = {}) => reserveUpload(store.database, team.project, { size, ...rest })

async function take({ ref }: ReservedUpload): Promise<VideoLease> {
  const lease = await takeLease(store.database, ref)
  if (!lease) throw new Error('Somebody has the lease.')
  return lease
}

async function announced(count = 1, size_bytes = 10) {
  const parts = Array.from({ length: count }, () => ({ key: `uploads/${randomUUID()}`, size_bytes }))
  for (const { key } of parts) await announceBlob(store.database, { team_id: team.id, key })
  return parts
}

/** Lets the time of the lease run out. */
function sleepPastLease({ id }: ReservedUpload) {
  return store.database.run("update videos set leased_until = now() - interval '1 second' where id = $1", [id])
}

test('a token finds its own upload alone', async () => {
  const [upload, other] = [await reserve(), await reserve()]
  const found = (id: string, token: string) => findUpload(store.database, { video_id: id, token_hash: tokenHashOf(token) })
  expect(await found(upload.id, upload.token)).toMatchObject({ id: upload.id, ...team.project, offset_bytes: 0, is_expired: false })
  expect(await found(upload.id, other.token)).toBeNull()
  expect(await found(upload.id, 'wrong')).toBeNull()
  await terminateUpload(store.database, upload.ref)
  expect(await found(upload.id, upload.token)).toBeNull()
})

test('one of many takes the lease, and the next one after its release or its end', async () => {
  const upload = await reserve()
  const taken = await Promise.all(Array.from({ length: 8 }, () => takeLease(store.database, upload.ref)))
  const [lease, ...others] = taken.filter((each) => each !== null)
  expect(others).toEqual([])
  expect(await takeLease(store.database, upload.ref)).toBeNull()
  if (lease) await releaseLease(store.database, lease)
  const second = await take(upload)
  await sleepPastLease(upload)
  expect((await take(upload)).lease_number).toBe(second.lease_number + 1)
})

test('a frozen holder adds nothing once another has taken its lease, and all the same while nobody has', async () => {
  const upload = await reserve()
  const frozen = await take(upload)
  await sleepPastLease(upload)
  expect(await appendParts(store.database, frozen, { first_byte: 0, parts: await announced() })).toBe(10)
  await sleepPastLease(upload)
  const next = await take(upload)
  const late = await announced()
  expect(await appendParts(store.database, frozen, { first_byte: 10, parts: late })).toBeNull()
  expect(await renewLease(store.database, frozen)).toBe(false)
  expect(await declareLength(store.database, frozen, 50)).toBe(false)
  // It must not give away what is not its own.
  await releaseLease(store.database, frozen)
  expect(await takeLease(store.database, upload.ref)).toBeNull()
  expect(await appendParts(store.database, next, { first_byte: 10, parts: await announced() })).toBe(20)
  expect(await store.database.run('select key from unused_blobs where key = $1', [late[0]?.key])).toHaveLength(1)
})

test('of two appends with one lease at one offset one counts', async () => {
  const upload = await reserve()
  const lease = await take(upload)
  const [one, other] = [await announced(), await announced()]
  const offsets = await Promise.all([one, other].map((parts) => appendParts(store.database, lease, { first_byte: 0, parts })))
  expect(offsets.toSorted()).toEqual([10, null])
  expect(await listParts(store.database, upload.ref)).toHaveLength(1)
})

test('several parts count together or not at all, and never beyond the size', async () => {
  const upload = await reserve(25)
  const lease = await take(upload)
  const parts = await announced(3)
  expect(await appendParts(store.database, lease, { first_byte: 0, parts })).toBeNull()
  expect(await appendParts(store.database, lease, { first_byte: 0, parts: parts.slice(0, 2) })).toBe(20)
  expect((await listParts(store.database, upload.ref)).map(({ first_byte }) => first_byte)).toEqual([0, 10])
  expect(await offsetOf(store.database, upload.ref)).toBe(20)
})

test('a blob that was abandoned or is due does not count', async () => {
  const upload = await reserve()
  const lease = await take(upload)
  const [abandoned] = await announced()
  await abandonBlob(store.database, { team_id: team.id, key: abandoned?.key ?? '' })
  const parts = abandoned ? [abandoned] : []
  expect(await appendParts(store.database, lease, { first_byte: 0, parts })).toBeNull()
  expect(await appendParts(store.database, lease, { first_byte: 0, parts: [{ key: 'uploads/unknown', size_bytes: 1 }] })).toBeNull()
})

test('to abandon a blob that counts does nothing', async () => {
  const upload = await reserve()
  const parts = await announced()
  await appendParts(store.database, await take(upload), { first_byte: 0, parts })
  for (const { key } of parts) await abandonBlob(store.database, { team_id: team.id, key })
  expect(await store.database.run('select from unused_blobs where key = $1', [parts[0]?.key])).toEqual([])
})

test('of an append and an abandonment at the same time one happens', async () => {
  for (let round = 0; round < 30; round += 1) {
    const upload = await reserve()
    const lease = await take(upload)
    const parts = await announced()
    const key = parts[0]?.key ?? ''
    const [offset] = await Promise.all([
      appendParts(store.database, lease, { first_byte: 0, parts }),
      abandonBlob(store.database, { team_id: team.id, key }),
    ])
    const due = await store.database.run('select from unused_blobs where key = $1 and delete_at <= now()', [key])
    expect(due.length).toBe(offset === null ? 1 : 0)
  }
})

test('of a termination and an append at the same time no part is left without its upload', async () => {
  for (let round = 0; round < 30; round += 1) {
    const upload = await reserve()
    const lease = await take(upload)
    const parts = await announced()
    await Promise.all([appendParts(store.database, lease, { first_byte: 0, parts }), terminateUpload(store.database, upload.ref)])
    expect(await listParts(store.database, upload.ref)).toEqual([])
    expect(await store.database.run('select from unused_blobs where key = $1', [parts[0]?.key])).toHaveLength(1)
  }
})

test('an upload that is complete, expired or deleted is closed', async () => {
  const closings = ["state = 'uploaded'", 'upload_until = now()', 'deleted_at = now()']
  for (const closing of closings) {
    const upload = await reserve()
    const lease = await take(upload)
    await store.database.run(`update videos set ${closing} where id = $1`, [upload.id])
    expect(await appendParts(store.database, lease, { first_byte: 0, parts: await announced() }), closing).toBeNull()
    expect(await renewLease(store.database, lease)).toBe(false)
    await releaseLease(store.database, lease)
    expect(await takeLease(store.database, upload.ref)).toBeNull()
    expect(await terminateUpload(store.database, upload.ref)).toBe(false)
  }
})
