import { openQueuePool } from '@earshot/db/schema'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'

let store: TestDatabase

beforeAll(async () => {
  store = await openTestDatabase()
})

afterAll(() => store.close())

test('a connection that PostgreSQL ends while the queue closes it is reported, and does not end the process', async () => {
  const errors: Error[] = []
  const pool = await openQueuePool(store.address, { max: 1, onError: (error) => errors.push(error) })
  const { rows } = await pool.query('select pg_backend_pid() as pid')
  const pid = Number(rows[0].pid)
  // A stopped backend receives both: the goodbye of the client, and the order to end.
  process.kill(pid, 'SIGSTOP')
  await pool.end()
  process.kill(pid, 'SIGTERM')
  process.kill(pid, 'SIGCONT')
  await until('the connection reports its end', () => errors.length > 0)
  expect(errors[0]?.message).toBe('terminating connection due to administrator command')
})
