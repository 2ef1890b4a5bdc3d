import { setTimeout as delay } from 'node:timers/promises'
import { createUser, type Tx } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

const CALLERS = 20
const ROUNDS = 10

let store: TestDatabase
beforeAll(async () => {
  store = await openTestDatabase({ poolSize: 2 })
})
afterAll(() => store.close())

test('transactions that come while every connection is busy wait for their turn, and each is committed', async () => {
  const { database } = store
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await database.run('select $1::int', [caller])
      const email = `user-${caller}-${round}@example.com`
      await database.transaction((tx: Tx) => createUser(tx, { email, name: 'User', passwordHash: null }))
    }
  })
  await Promise.all(callers)

  const left = await database.run(
    `select (select count(*)::int from users) as users,
            (select count(*)::int from pg_stat_activity where datname = current_database() and state like 'idle in transaction%') as unfinished`,
    [],
  )
  expect(left).toEqual([{ users: CALLERS * ROUNDS, unfinished: 0 }])
})

test('a failing transaction frees its connection for the next', async () => {
  const { database } = store
  const failures = Array.from({ length: CALLERS }, () =>
    database.transaction(() => Promise.reject(new RangeError('undone'))).catch((error: Error) => error.name),
  )
  expect(new Set(await Promise.all(failures))).toEqual(new Set(['RangeError']))
})

test('a transaction that continues after a failed statement commits nothing, and fails', async () => {
  const { database } = store
  const email = 'half@example.com'
  const half = database.transaction(async (tx) => {
    await createUser(tx, { email, name: 'User', passwordHash: null })
    await tx.run('select 1 / 0', []).catch(() => {})
  })
  await expect(half).rejects.toThrow('nothing of it was kept')
  expect(await database.run('select from users where email = $1', [email])).toEqual([])
})

test('a failing savepoint is rolled back alone, within another one too', async () => {
  const { database } = store
  const fail = (tx: Tx) => tx.run('select 1 / 0', [])
  const add = (tx: Tx, email: string) => createUser(tx, { email, name: 'User', passwordHash: null })
  await database.transaction(async (tx) => {
    await tx.attempt(async (outer) => {
      await add(outer, 'outer@example.com')
      await outer
        .attempt(async (inner) => {
          await add(inner, 'inner@example.com')
          await fail(inner)
        })
        .catch(() => {})
    })
    await tx.attempt(fail).catch(() => {})
  })
  const kept = await database.run("select email from users where email in ('outer@example.com', 'inner@example.com')", [])
  expect(kept).toEqual([{ email: 'outer@example.com' }])
})

test('a statement that fails in the middle of its rows does not affect the next one', async () => {
  const other = await openTestDatabase({ poolSize: 1 })
  const failing = other.database.run('select 1 / (3 - number) from generate_series(1, 5) number', [])
  await expect(failing).rejects.toThrow('division by zero')
  expect(await other.database.run('select number from generate_series(1, 2) number', [])).toEqual([{ number: 1 }, { number: 2 }])
  await other.close()
})

test("rows have the columns' own names, whatever these are", async () => {
  const other = await openTestDatabase({ poolSize: 1 })
  const named = other.database.run(`select 1 as "a ""quoted"" name", null as "it's", '{2,3}'::text[] as "back\\slash" where $1`, [true])
  expect(await named).toEqual([{ 'a "quoted" name': 1, "it's": null, 'back\\slash': ['2', '3'] }])
  await other.close()
})

test('a statement is run again with the same values when its table got another column since it was prepared', async () => {
  const other = await openTestDatabase({ poolSize: 1 })
  const values = [true, false, Buffer.from('bytes'), ['a', 'b'], '{"a": [1]}', '2026-01-02T03:04:05.678Z', 1.5, null, '\\\\x']
  const types = 'boolean, boolean, bytea, text[], jsonb, timestamptz, numeric, text, text'.split(', ')
  const shown = types.map((type, index) => `$${index + 1}::${type}::text as value_${index}`).join(', ')
  const ask = () => other.database.run(`select *, ${shown} from changing`, values)
  await other.database.run('create temporary table changing as select 1 as one', [])
  const [before] = await ask()
  expect(before).toMatchObject({ value_0: 'true', value_1: 'false', value_2: '\\x6279746573', value_3: '{a,b}', value_8: '\\\\x' })
  await other.database.run('alter table changing add two int default 2', [])
  expect(await ask()).toEqual([{ ...(before as object), two: 2 }])
  await other.close()
})

test('a closed pool refuses statements and finishes those in flight', async () => {
  const other = await openTestDatabase({ poolSize: 1 })
  const underWay = other.database.run('select pg_sleep(0.2)', [])
  const waiting = other.database.run('select 1', [])
  await delay(50)
  await Promise.all([other.close(), underWay, expect(waiting).rejects.toMatchObject({ code: 'dependency_unavailable' })])
  await expect(other.database.run('select 1', [])).rejects.toMatchObject({ code: 'dependency_unavailable' })
})
