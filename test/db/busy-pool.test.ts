import { setTimeout as delay } from 'node:timers/promises'
import { createUser, type Tx } from '@earshot/db'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'

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

test('statements that wait for a connection each get their own result, failures too', async () => {
  const { database } = store
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const number = caller * ROUNDS + round
      const asked = database.run('select $1::int as number, 6 / ($1::int % 3) as quotient from generate_series(1, 2)', [number])
      if (number % 3 === 0) await expect(asked).rejects.toThrow('division by zero')
      else expect(await asked).toEqual(Array.from({ length: 2 }, () => ({ number, quotient: 6 / (number % 3) })))
    }
  })
  await Promise.all(callers)
})

test('a statement that takes its time delays no other while a connection is free', async () => {
  const { database } = store
  const sleep = (seconds: number) => database.run('select pg_sleep($1)', [seconds])
  let isAwake = false
  const long = sleep(1).then(() => {
    isAwake = true
  })
  for (let round = 0; round < ROUNDS; round += 1) await Promise.all(Array.from({ length: CALLERS }, () => sleep(0)))
  expect(isAwake).toBe(false)
  await long
})

test('statements and transactions get a connection in the order in which they came', async () => {
  const other = await openTestDatabase({ poolSize: 1 })
  const order: number[] = []
  const works = Array.from({ length: CALLERS }, async (_, number) => {
    if (number % 2) await other.database.run('select 1', [])
    else await other.database.transaction((tx) => tx.run('select 1', []))
    order.push(number)
  })
  await Promise.all(works)
  expect(order).toEqual(Array.from({ length: CALLERS }, (_, number) => number))
  await other.close()
})

test('no statement runs within the transaction of another caller', async () => {
  const other = await openTestDatabase({ poolSize: 1 })
  const ask = () => other.database.run<{ id: string | null }>('select pg_current_xact_id_if_assigned()::text as id where $1', [true])
  const works = Array.from({ length: CALLERS }, async () => {
    const transaction = other.database.transaction(async (tx) => {
      await tx.run('select pg_current_xact_id()', [])
      await tx.run('select pg_sleep(0.002)', [])
    })
    const rows = await Promise.all(Array.from({ length: ROUNDS }, ask))
    await transaction
    return rows.flat()
  })
  expect((await Promise.all(works)).flat().filter(({ id }) => id !== null)).toEqual([])
  await other.close()
})

test('a transaction that fails gives its turn to the next', async () => {
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
  await expect(half).rejects.toThrow('PostgreSQL rolled it back')
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

test('a closed pool refuses statements, and finishes the one in flight', async () => {
  const other = await openTestDatabase({ poolSize: 1 })
  const inFlight = other.database.run('select pg_sleep(0.2)', [])
  const waiting = other.database.run('select 1', [])
  await delay(50)
  await Promise.all([other.close(), inFlight, expect(waiting).rejects.toMatchObject({ code: 'dependency_unavailable' })])
  await expect(other.database.run('select 1', [])).rejects.toMatchObject({ code: 'dependency_unavailable' })
})

test('PostgreSQL ends a transaction that waits too long for its next statement, and the pool goes on', async () => {
  const other = await openTestDatabase({ poolSize: 1 })
  const [setting] = await other.database.run<{ idle_in_transaction_session_timeout: string }>(
    'show idle_in_transaction_session_timeout',
    [],
  )
  expect(setting?.idle_in_transaction_session_timeout).toBe('20s')
  const administrator = postgres({ ...other.address, max: 1 })
  const abandoned = other.database.transaction(async (tx) => {
    await tx.run('set local idle_in_transaction_session_timeout = 50', [])
    await createUser(tx, { email: 'abandoned@example.com', name: 'User', passwordHash: null })
    const open = () =>
      administrator`select from pg_stat_activity where datname = ${other.address.database ?? ''} and state = 'idle in transaction'`
    await until('PostgreSQL ended the session', async () => (await open()).length === 0)
    await tx.run('select 1', [])
  })
  await expect(abandoned).rejects.toMatchObject({ code: 'dependency_unavailable' })
  await administrator.end()
  expect(await other.database.run("select from users where email = 'abandoned@example.com'", [])).toEqual([])
  await other.close()
})
