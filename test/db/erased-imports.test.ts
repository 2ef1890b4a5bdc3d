import { randomBytes, randomUUID } from 'node:crypto'
import { createSecretBox } from '@earshot/drivers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { erasePerson } from '../../db/src/privacy/erase.ts'
import { continueErasure } from '../../db/src/privacy/erasure.ts'
import { hasAddressIn, type UploadedFiles } from '../../db/src/privacy/import-files.ts'
import { personMessage, personOf } from '../../db/src/privacy/person.ts'
import { newAddress } from '../support/erasures.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

const box = createSecretBox(randomBytes(32))
const open = (sealed: Buffer) => box.open('person', sealed)

let store: TestDatabase
beforeAll(async () => {
  store = await openTestDatabase()
})
afterAll(() => store.close())

/** Files in memory, in pieces of a few bytes. */
function memoryFiles(contents: Record<string, Buffer>): UploadedFiles & { contents: Record<string, Buffer> } {
  return {
    contents,
    get: async (key) => (contents[key] ? pieces(contents[key]) : null),
    delete: async (key) => void delete contents[key],
  }
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += 7) yield bytes.subarray(start, start + 7)
}

async function begin(team: Team, email: string) {
  const request_id = (await store.database.run<{ id: string }>('select uuidv7() as id', []))[0]?.id ?? ''
  const actor = { userId: team.ownerId, credentialId: null, credentialKind: 'operator', ip: null }
  const person_mac = box.mac('person', personMessage(team.id, email))
  await erasePerson(store.database, actor, { team_id: team.id, request_id, email, person_mac, sealed_email: box.seal('person', email) })
  return { team_id: team.id, request_id }
}

/** Continues an erasure until it waits or is done. */
async function run(ref: { team_id: string; request_id: string }, files: UploadedFiles) {
  for (;;) {
    const outcome = await continueErasure(store.database, ref, { open, files })
    if (outcome !== 'more') return outcome
  }
}

async function makeImport(
  team: Team,
  { state, file_key = null, bytes = null }: { state: string; file_key?: string | null; bytes?: Buffer | null },
) {
  const [row] = await store.database.run<{ id: string }>(
    `insert into imports (team_id, project_id, state, target, file_name, file_key, mapping, mode, dry_run, suppress_events, created_by)
     values ($1, $2, $3, 'testimonials', 'a.csv', $4, '{}', 'create', false, false, $5)
     returning id`,
    [team.id, team.project.project_id, state, file_key, team.ownerId],
  )
  if (bytes) {
    const file = 'insert into import_files (team_id, project_id, import_id, bytes) values ($1, $2, $3, $4)'
    await store.database.run(file, [team.id, team.project.project_id, row?.id, bytes])
  }
  return row?.id ?? ''
}

async function readImport(id: string) {
  const [row] = await store.database.run('select state, error_code, file_key from imports where id = $1', [id])
  return row
}

test('a file with the address is deleted, in the store too, and its import fails; others stay', async () => {
  const team = await makeTeam(store.database)
  const email = newAddress()
  const words = (address: string) => Buffer.from(`name;mail\r\nGrace;${address}\r\n`)
  const files = memoryFiles({ mine: words(email.toUpperCase()), other: words(newAddress()) })
  const inline = await makeImport(team, { state: 'failed', bytes: words(email) })
  const mine = await makeImport(team, { state: 'uploaded', file_key: 'mine' })
  const other = await makeImport(team, { state: 'uploaded', file_key: 'other' })
  const lost = await makeImport(team, { state: 'uploaded', file_key: 'lost' })
  expect(await run(await begin(team, email), files)).toBe('done')
  expect(Object.keys(files.contents)).toEqual(['other'])
  const expunged = { state: 'failed', error_code: 'file_expunged', file_key: null }
  expect([await readImport(inline), await readImport(mine)]).toEqual([expunged, expunged])
  expect(await readImport(other)).toEqual({ state: 'uploaded', error_code: null, file_key: 'other' })
  expect(await readImport(lost)).toEqual({ state: 'uploaded', error_code: null, file_key: 'lost' })
  expect(await store.database.run('select from import_files where import_id = $1', [inline])).toEqual([])
})

test('an erasure waits for an import that runs, and a worker that dies after deleting a file leaves none behind', async () => {
  const team = await makeTeam(store.database)
  const email = newAddress()
  const files = memoryFiles({ mine: Buffer.from(email) })
  const id = await makeImport(team, { state: 'running', file_key: 'mine' })
  const ref = await begin(team, email)
  expect(await run(ref, files)).toBe('waiting')
  expect(await readImport(id)).toMatchObject({ state: 'running' })
  await store.database.run("update imports set state = 'failed' where id = $1", [id])
  const dying = { ...files, delete: async () => Promise.reject(new Error('The worker dies here')) }
  await expect(run(ref, dying)).rejects.toThrow('dies')
  expect(await readImport(id)).toMatchObject({ error_code: 'file_expunged', file_key: 'mine' })
  expect(await run(ref, files)).toBe('done')
  expect(await readImport(id)).toMatchObject({ file_key: null })
  expect(files.contents).toEqual({})
})

test.for(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'])(
  'an address is found in a file in %s, wherever its pieces end',
  async (encoding) => {
    const person = personOf(randomUUID(), 'Grace@Example.com')
    const text = `${'Größe '.repeat(3_000)};GRACE@example.com`
    expect(await hasAddressIn(person, pieces(encode(text, encoding)))).toBe(true)
    expect(await hasAddressIn(person, pieces(encode(text.replace('GRACE', 'hisgrace'), encoding)))).toBe(false)
  },
)

function encode(text: string, encoding: string): Buffer {
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le')
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
  return Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'latin1')
}
