import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase, type Tx } from '@earshot/db'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { gathered } from '../../db/src/submissions/batch.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

const CALLERS = 40
const DIVIDE =
  'select 12 / divisor::int as quotient, pg_sleep(0.02) from unnest($1::text[]) with ordinality d (divisor, number) order by number'

interface Quotient {
  quotient: number
}

let store: TestDatabase
let sent = 0
beforeAll(async () => {
  store = await openTestDatabase()
})
afterAll(() => store.close())
beforeEach(() => {
  sent = store.statements.length
})

const divide = gathered<number, Quotient>((tx, divisors) => tx.run<Quotient>(DIVIDE, [divisors.map(String)]))
const statements = () => store.statements.length - sent

test('many calls at once share statements, and each gets its own answer', async () => {
  const divisors = Array.from({ length: CALLERS }, (_, index) => 1 + (index % 12))
  const answers = await Promise.all(divisors.map((divisor) => divide(store.database, divisor)))
  expect(answers.map(({ quotient }) => quotient)).toEqual(divisors.map((divisor) => Math.trunc(12 / divisor)))
  expect(statements()).toBeLessThanOrEqual(5)
})

test('a call that comes alone does not wait for company', async () => {
  expect(await divide(store.database, 3)).toMatchObject({ quotient: 4 })
  expect(statements()).toBe(1)
})

test('one that spoils the statement fails alone', async () => {
  const divisors = [1, 2, 3, 0, 4, 6]
  const answers = await Promise.allSettled(divisors.map((divisor) => divide(store.database, divisor)))
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.quotient : String(answer.reason.message)))).toEqual([
    12,
    6,
    4,
    'division by zero',
    3,
    2,
  ])
})

test('a statement whose outcome nobody knows is not asked again', async () => {
  const asleep = gathered<number, object>((tx, items) => tx.run('select pg_sleep(30) from unnest($1::text[])', [items.map(String)]))
  const calls = Promise.allSettled(Array.from({ length: 6 }, (_, index) => asleep(store.database, index)))
  const operator = openDatabase({ address: store.address, poolSize: 1, applicationName: 'earshot test' })
  const terminate = () =>
    operator.run("select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep(30)%' and state = 'active'", [])
  // Two statements carry one call each; the other four wait for one of them and go together.
  for (let statement = 0; statement < 3; statement += 1) {
    await delay(100)
    await terminate()
  }
  const answers = await calls
  await operator.close()
  expect(answers.map((answer) => answer.status === 'rejected' && answer.reason.code)).toEqual(Array(6).fill('dependency_unavailable'))
  expect(store.statements.slice(sent).filter((text) => text.startsWith('select pg_sleep(30)'))).toHaveLength(3)
})

test('in a transaction each call is a statement of its own', async () => {
  await store.database.transaction(async (tx: Tx) => {
    for (const divisor of [1, 2]) expect(await divide(tx, divisor)).toMatchObject({ quotient: 12 / divisor })
  })
  expect(statements()).toBe(4)
})
