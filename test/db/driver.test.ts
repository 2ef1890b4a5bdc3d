import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { openDatabase } from '@earshot/db'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareClient } from '../../db/src/driver/connection.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

// What the product relies on in postgres.js, by name. When a new version of it changes one of these, db/src/driver changes too.

let store: TestDatabase
beforeAll(async () => {
  store = await openTestDatabase({ poolSize: 1 })
})
afterAll(() => store.close())

/** A client as the pool makes it: one connection. */
function openClient({ onclose }: { onclose?: () => void } = {}) {
  const client = prepareClient(
    postgres({ ...addressOf(store), max: 1, fetch_types: false, max_lifetime: null, onnotice: () => {}, ...(onclose && { onclose }) }),
  )
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end({ timeout: 0 }) })
}

function addressOf({ address: { host, port, user, password, database } }: TestDatabase) {
  return {
    ...(host && { host }),
    ...(port && { port }),
    ...(user && { user }),
    ...(password && { password }),
    ...(database && { database }),
  }
}

test('one version is installed, the one that is tested', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../db/package.json', import.meta.url), 'utf8'))
  const installed = createRequire(import.meta.url)
    .resolve('postgres')
    .replace(/postgres\/.*$/, 'postgres/package.json')
  expect(dependencies.postgres).toMatch(/^\d+\.\d+\.\d+$/)
  expect(JSON.parse(readFileSync(installed, 'utf8')).version).toBe(dependencies.postgres)
})

test('values() returns rows as arrays, with the columns and the command beside them', async () => {
  await using client = openClient()
  const result = await client.unsafe('select 1 as one, $1::text as two', ['b'], { prepare: true }).values()
  expect([...result]).toEqual([[1, 'b']])
  expect(result.columns.map(({ name }) => name)).toEqual(['one', 'two'])
  expect(result.command).toBe('SELECT')
})

test('a text with parameters is prepared once on a connection, and its results share one list of columns', async () => {
  await using client = openClient()
  const ask = () => client.unsafe('select $1::int as number', [1], { prepare: true }).values()
  const [first, second] = [await ask(), await ask()]
  expect(first.columns).toBe(second.columns)
  const prepared = await client.unsafe('select statement from pg_prepared_statements where statement like $1', ['%as number'], {
    prepare: true,
  })
  expect(prepared).toHaveLength(1)
})

test('parameters get the types that PostgreSQL asks for; timestamps come as text, JSON parsed, arrays as arrays', async () => {
  await using client = openClient()
  const text = 'select $1::int, $2::boolean, $3::bytea, $4::jsonb, $5::timestamptz, $6::text[], $7::uuid[], $8::text'
  const id = '019a0000-0000-7000-8000-000000000000'
  const values = [7, true, Buffer.from('bytes'), '{"a":[1]}', '2026-01-02T03:04:05.678Z', ['a', 'b,"c"'], [id], null]
  const [row] = await client.unsafe(text, values as never[], { prepare: true }).values()
  expect(row).toEqual([7, true, Buffer.from('bytes'), { a: [1] }, '2026-01-02 03:04:05.678+00', ['a', 'b,"c"'], [id], null])
})

test('several commands without parameters go in one message', async () => {
  await using client = openClient()
  await client.unsafe('begin', [], { prepare: true })
  await client.unsafe('savepoint attempt', [], { prepare: true })
  await expect(client.unsafe('select 1 / 0', [], { prepare: true })).rejects.toThrow('division by zero')
  await client.unsafe('rollback to savepoint attempt; release savepoint attempt', [], { prepare: true })
  expect((await client.unsafe('commit', [], { prepare: true })).command).toBe('COMMIT')
})

test('a client of one connection takes begin as a statement, and a commit after a failure is told to be a rollback', async () => {
  await using client = openClient()
  await client.unsafe('begin', [], { prepare: true })
  await client.unsafe('select 1 / 0', [], { prepare: true }).catch(() => {})
  expect((await client.unsafe('commit', [], { prepare: true })).command).toBe('ROLLBACK')
})

test('a client of more connections refuses begin as a statement, so it is no pool for transactions', async () => {
  const client = postgres({ ...addressOf(store), max: 2, fetch_types: false })
  await expect(client.unsafe('begin')).rejects.toMatchObject({ code: 'UNSAFE_TRANSACTION' })
  await client.end({ timeout: 0 })
})

test('an error of PostgreSQL has its code, severity, detail and constraint', async () => {
  await using client = openClient()
  const insert = () => client.unsafe('insert into plans select * from plans limit 1')
  await expect(insert()).rejects.toBeInstanceOf(postgres.PostgresError)
  await expect(insert()).rejects.toMatchObject({ code: '23505', severity: 'ERROR', constraint_name: 'plans_pkey' })
  const raise = "do $$ begin raise exception using errcode = 'EARS1', message = 'words', detail = 'more'; end $$"
  await expect(client.unsafe(raise)).rejects.toMatchObject({ code: 'EARS1', message: 'words', detail: 'more' })
})

test('after a statement that failed between two rows the next result starts with holes', async () => {
  await using client = openClient()
  const failing = client.unsafe('select 1 / (3 - number) from generate_series(1, 5) number', [], { prepare: true }).values()
  await expect(failing).rejects.toThrow('division by zero')
  const next = await client.unsafe('select number from generate_series(1, 2) number where $1', [true], { prepare: true }).values()
  expect(next.filter((row) => row !== undefined)).toEqual([[1], [2]])
  expect(next.length).toBeGreaterThan(2)
})

test('a connection that breaks fails the statement in flight, calls onclose, and is replaced sooner or later', async () => {
  let closed = 0
  await using client = openClient({ onclose: () => (closed += 1) })
  const pid = async () => (await client.unsafe('select pg_backend_pid()').values())[0]?.[0]
  const before = await pid()
  const inFlight = client.unsafe('select pg_sleep(30)')
  const killed = expect(inFlight).rejects.toMatchObject({ code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/) })
  await using other = openClient()
  await expect
    .poll(() =>
      other.unsafe('select pg_terminate_backend($1) from pg_stat_activity where pid = $1 and query like $2', [
        before as number,
        '%pg_sleep(30)',
      ]),
    )
    .toHaveLength(1)
  await killed
  await expect.poll(() => closed).toBe(1)
  await expect.poll(() => pid().catch(() => before)).not.toBe(before)
})

test('end waits for the statement in flight, or fails it when it gets no time; later statements fail', async () => {
  const patient = openClient()
  const kept = patient.unsafe('select pg_sleep(0.1)').execute()
  await Promise.all([patient.end({ timeout: 5 }), kept])
  await expect(patient.unsafe('select 1')).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })

  const hasty = openClient()
  await hasty.unsafe('select 1')
  const failed = expect(hasty.unsafe('select pg_sleep(30)').execute()).rejects.toMatchObject({ code: 'CONNECTION_DESTROYED' })
  await hasty.end({ timeout: 0 })
  await failed
})

test('a database that cannot be reached is an error with the code of the socket', async () => {
  const client = postgres({ host: '127.0.0.1', port: 1, max: 1, connect_timeout: 2 })
  await expect(client.unsafe('select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await client.end({ timeout: 0 })
})

test('debug is called with each text that is sent, once', async () => {
  const before = store.statements.length
  await store.database.run('select $1::int as debugged', [1])
  await store.database.run('select $1::int as debugged', [1])
  expect(store.statements.slice(before)).toEqual(Array(2).fill('select $1::int as debugged'))
})

// How db/src/driver deals with it.

test('a statement that fails between two rows leaves nothing to the next one', async () => {
  const failing = store.database.run('select 1 / (3 - number) from generate_series(1, 5) number', [])
  await expect(failing).rejects.toThrow('division by zero')
  expect(await store.database.run('select number from generate_series(1, 2) number', [])).toEqual([{ number: 1 }, { number: 2 }])
})

test("rows have the columns' own names, whatever these are", async () => {
  const named = store.database.run(
    `select 1 as "a ""quoted"" name", null as "it's", '{2,3}'::text[] as "back\\slash", 4 as "__proto__" where $1`,
    [true],
  )
  const [row] = await named
  expect(Object.entries(row as object)).toEqual([
    ['a "quoted" name', 1],
    ["it's", null],
    ['back\\slash', ['2', '3']],
    ['__proto__', 4],
  ])
})

test('a pool with more connections than callers runs begin on one of them', async () => {
  const database = openDatabase({ address: store.address, poolSize: 3, applicationName: 'earshot test' })
  expect(await database.transaction((tx) => tx.run('select 1 as one', []))).toEqual([{ one: 1 }])
  await database.close()
})
