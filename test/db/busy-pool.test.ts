import { createUser, type Tx } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../src/test-database.ts'

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

test('a transaction that fails gives its turn to the next', async () => {
  const { database } = store
  const failures = Array.from({ length: CALLERS }, () =>
    database.transaction(() => Promise.reject(new RangeError('undone'))).catch((error: Error) => error.name),
  )
  expect(new Set(await Promise.all(failures))).toEqual(new Set(['RangeError']))
})
