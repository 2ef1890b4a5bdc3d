import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '@earshot/contracts'
import { openDatabase, type Tx } from '@earshot/db'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { batched } from '../../db/src/sql/batch.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'

const CALLERS = 40
const MAX_WAITING = 1_000
const MAX_IN_FLIGHT = 2
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

const divide = batched<number, Quotient>((tx, divisors) => tx.run<Quotient>(DIVIDE, [divisors.map(String)]))
const statements = () => store.statements.length - sent

test('many calls at once share statements, and each gets its own row', async () => {
  const divisors = Array.from({ length: CALLERS }, (_, index) => 1 + (index % 12))
  const rows = await Promise.all(divisors.map((divisor) => divide(store.database, divisor)))
  expect(rows.map(({ quotient }) => quotient)).toEqual(divisors.map((divisor) => Math.trunc(12 / divisor)))
  expect(statements()).toBeLessThanOrEqual(5)
})

test('a call that comes alone does not wait for others', async () => {
  expect(await divide(store.database, 3)).toMatchObject({ quotient: 4 })
  expect(statements()).toBe(1)
})

/** Returns a batched function that notes the size of each batch. */
function noting(sizes: number[], gather: { items: number; ms: number }) {
  const note = async (_tx: Tx, items: number[]) => {
    sizes.push(items.length)
    return items
  }
  return batched<number, number>(note, { maxBatches: 1, gather })
}

test('a batch soon after another waits for more calls', async () => {
  const sizes: number[] = []
  const gather = noting(sizes, { items: 16, ms: 500 })
  expect(await gather(store.database, 1)).toBe(1)
  const second = gather(store.database, 2)
  await delay(20)
  expect(sizes).toEqual([1])
  expect(await Promise.all([second, gather(store.database, 3)])).toEqual([2, 3])
  expect(sizes).toEqual([1, 2])
})

test('a call that comes later than that does not wait', async () => {
  const sizes: number[] = []
  const gather = noting(sizes, { items: 16, ms: 50 })
  await gather(store.database, 1)
  await delay(100)
  const later = gather(store.database, 2)
  expect(sizes).toEqual([1, 1])
  await later
})

test('a batch with enough calls does not wait for more', async () => {
  const sizes: number[] = []
  const gather = noting(sizes, { items: 16, ms: 60_000 })
  await gather(store.database, 0)
  const numbers = Array.from({ length: 16 }, (_, index) => index)
  expect(await Promise.all(numbers.map((number) => gather(store.database, number)))).toEqual(numbers)
  expect(sizes).toEqual([1, 16])
})

test('an item that makes its batch fail fails alone', async () => {
  const divisors = [1, 2, 3, 0, 4, 6]
  const results = await Promise.allSettled(divisors.map((divisor) => divide(store.database, divisor)))
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value.quotient : String(result.reason.message)))).toEqual([
    12,
    6,
    4,
    'division by zero',
    3,
    2,
  ])
})

test('a batch whose outcome is unknown is not run again', async () => {
  const asleep = batched<number, object>((tx, items) => tx.run('select pg_sleep(30) from unnest($1::text[])', [items.map(String)]))
  const calls = Promise.allSettled(Array.from({ length: 6 }, (_, index) => asleep(store.database, index)))
  const operator = openDatabase({ address: store.address, poolSize: 1, applicationName: 'earshot test' })
  const terminate = () =>
    operator.run("select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep(30)%' and state = 'active'", [])
  // Two statements carry one call each; the other four wait for one of them and go together.
  let haveEnded = false
  void calls.then(() => {
    haveEnded = true
  })
  await until('every call has ended', async () => {
    await terminate()
    return haveEnded
  })
  const results = await calls
  await operator.close()
  expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(Array(6).fill('dependency_unavailable'))
  expect(store.statements.slice(sent).filter((text) => text.startsWith('select pg_sleep(30)'))).toHaveLength(3)
})

test('the victim of a deadlock is run again as it was', async () => {
  await store.database.run("insert into rate_windows (subject, window_start, used) values ('a', now(), 0), ('b', now(), 0)", [])
  const LOCK = 'update rate_windows set used = used + 1 where subject = $1 returning pg_sleep(0.3)'
  const lockBoth = batched<string, { first: string }>((tx, items) =>
    tx.transaction(async (tx) => {
      const [first = ''] = items
      await tx.run(LOCK, [first])
      await tx.run(LOCK, [first === 'a' ? 'b' : 'a'])
      return items.map(() => ({ first }))
    }),
  )
  const rows = await Promise.all(['a', 'b'].map((id) => lockBoth(store.database, id)))
  expect(rows).toEqual([{ first: 'a' }, { first: 'b' }])
  expect(await store.database.run('select subject, used from rate_windows order by subject', [])).toEqual([
    { subject: 'a', used: 2 },
    { subject: 'b', used: 2 },
  ])
})

/** Fails as a deadlock does: a real one cannot be caused several times in a row with certainty. */
const DEADLOCK = "do $$ begin raise exception using errcode = 'deadlock_detected'; end $$"

test('a victim that meets the other side again is run again, up to three times', async () => {
  const meeting = (times: number) => {
    let runs = 0
    const call = batched<string, string>(async (tx, items) => {
      runs += 1
      if (runs <= times) await tx.run(DEADLOCK, [])
      return items
    })
    return call(store.database, 'done')
  }
  expect(await meeting(3)).toBe('done')
  await expect(meeting(4)).rejects.toMatchObject({ code: 'dependency_unavailable', cause: { code: '40P01' } })
})

test('a batch whose outcome is unknown after a deadlock is not run again', async () => {
  const batches: string[][] = []
  const call = batched<string, string>(
    async (tx, items) => {
      batches.push(items)
      if (batches.length === 2) await tx.run(DEADLOCK, [])
      if (batches.length === 3) await tx.run('select pg_sleep(31)', [])
      return items
    },
    { maxBatches: 1 },
  )
  const operator = openDatabase({ address: store.address, poolSize: 1, applicationName: 'earshot test' })
  const calls = Promise.allSettled(['first', 'second', 'third'].map((item) => call(store.database, item)))
  const asleep = "select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(31)' and state = 'active'"
  await until('the connection is lost', async () => (await operator.run(asleep, [])).length > 0)
  const results = await calls
  await operator.close()
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(batches).toEqual([['first'], ['second', 'third'], ['second', 'third']])
})

test('the queue is bounded: a call too many is refused at once, and those that wait are done', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const wait = batched<number, number>((_tx, items) => gate.then(() => items))
  const calls = Array.from({ length: MAX_WAITING + MAX_IN_FLIGHT }, (_, number) => wait(store.database, number))
  const refused = await wait(store.database, 0).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ApiError)
  expect(refused).toMatchObject({ code: 'dependency_unavailable', retryAfterSeconds: expect.any(Number) })
  open()
  expect(await Promise.all(calls)).toEqual(calls.map((_, number) => number))
  expect(await wait(store.database, 7)).toBe(7)
})

test('in a transaction each call is a statement of its own', async () => {
  await store.database.transaction(async (tx: Tx) => {
    for (const divisor of [1, 2]) expect(await divide(tx, divisor)).toMatchObject({ quotient: 12 / divisor })
  })
  expect(statements()).toBe(4)
})
