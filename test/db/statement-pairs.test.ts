import { expect, test } from 'vitest'
import { openTestDatabase } from '../support/test-database.ts'

const CALLERS = 10
const ROUNDS = 40

test('consecutive statements on a connection each get their own result, failures too', async () => {
  await using store = await openStore(2)
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const number = caller * ROUNDS + round
      const asked = store.database.run('select $1::int as number, 6 / ($1::int % 3) as quotient from generate_series(1, 2)', [number])
      if (number % 3 === 0) await expect(asked).rejects.toThrow('division by zero')
      else expect(await asked).toEqual(Array.from({ length: 2 }, () => ({ number, quotient: 6 / (number % 3) })))
    }
  })
  await Promise.all(callers)
})

test('a waiting transaction is not overtaken by later statements', async () => {
  await using store = await openStore(1)
  const ask = () => store.database.run('select $1::int', [1])
  await ask()
  let isOver = false
  let after = 0
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      await ask()
      after += 1
    }
  })
  await expect.poll(() => after).toBeGreaterThan(CALLERS)
  const before = after
  await store.database.transaction((tx) => tx.run('select 1', []))
  // Those that were asked before it, and at most one more of each caller.
  expect(after - before).toBeLessThanOrEqual(2 * CALLERS)
  isOver = true
  await Promise.all(callers)
})

test('no statement runs within the transaction of another', async () => {
  await using store = await openStore(1)
  const ask = () => store.database.run<{ id: string | null }>('select pg_current_xact_id_if_assigned()::text as id where $1', [true])
  await ask()
  const transactions = Array.from({ length: CALLERS }, () =>
    store.database.transaction(async (tx) => {
      await tx.run('select pg_current_xact_id()', [])
      await tx.run('select pg_sleep(0.002)', [])
    }),
  )
  const statements = Array.from({ length: CALLERS * ROUNDS }, ask)
  expect((await Promise.all(statements)).flat().filter(({ id }) => id !== null)).toEqual([])
  await Promise.all(transactions)
})

test('no statement is queued behind a slow one while another connection is free sooner', async () => {
  await using store = await openStore(2)
  const nap = (seconds: number) => store.database.run('select pg_sleep($1)', [seconds])
  await Promise.all([nap(0.01), nap(0.01)])
  let isAwake = false
  const long = nap(1).then(() => {
    isAwake = true
  })
  await nap(0.02)
  for (let round = 0; round < ROUNDS; round += 1) await Promise.all(Array.from({ length: CALLERS }, () => nap(0)))
  expect(isAwake).toBe(false)
  await long
})

async function openStore(poolSize: number) {
  const store = await openTestDatabase({ poolSize })
  return { ...store, [Symbol.asyncDispose]: () => store.close() }
}
