import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '@earshot/contracts'
import { type Database, openDatabase } from '@earshot/db'
import { expect, test } from 'vitest'
import { openRemoteDatabase } from '../support/remote-database.ts'
import { until } from '../support/until.ts'

const POOL = 8
const CALLERS = 20
const BREAKS = 3
const SLEEP = 'select pg_sleep(0.01)'

const works: Record<string, (database: Database) => Promise<unknown>> = {
  'a statement': (database) => database.run(SLEEP, []),
  'a transaction': (database) => database.transaction((tx) => tx.run(SLEEP, [])),
  'a part of a transaction that may be undone alone': (database) =>
    database.transaction((tx) => tx.attempt((part) => part.run(SLEEP, [])).catch(() => tx.run(SLEEP, []))),
  'a transaction that waits for something else': (database) =>
    database.transaction(async (tx) => {
      await tx.run('select 1', [])
      await delay(10)
      await tx.run('select 1', [])
      await delay(10)
    }),
}

// A connection that breaks at the wrong moment must not end the process, nor stay unusable.
test.for(Object.keys(works))(
  'connections that break in the middle of %s give 503, and each is reopened',
  { timeout: 60_000 },
  async (name) => {
    await using remote = await openRemoteDatabase()
    const database = openDatabase({
      address: { url: remote.environment.DATABASE_URL },
      poolSize: POOL,
      applicationName: 'earshot fault test',
      statementTimeoutMs: 10_000,
    })
    try {
      const [errors, done, failed] = [new Set<unknown>(), { count: 0 }, { count: 0 }]
      let isStopped = false
      const call = async () => {
        while (!isStopped) {
          await works[name]?.(database).then(
            () => (done.count += 1),
            (error) => {
              failed.count += 1
              errors.add(error instanceof ApiError ? error.code : error)
            },
          )
          await delay(1)
        }
      }
      const callers = Array.from({ length: CALLERS }, call)
      for (let broken = 0; broken < BREAKS; broken += 1) {
        const before = { done: done.count, failed: failed.count }
        await until('work is done', () => done.count > before.done + CALLERS)
        await remote.proxy.refuse()
        await until('every caller fails', () => failed.count > before.failed + CALLERS)
        await remote.proxy.restore()
      }
      isStopped = true
      await Promise.all(callers)
      expect([...errors]).toEqual(['dependency_unavailable'])
      await until('every connection of the pool works', async () => {
        const backends = await Promise.all(
          Array.from({ length: POOL }, () => database.run<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.3)', [])),
        )
        return new Set(backends.map(([row]) => row?.pid)).size === POOL
      })
    } finally {
      await database.close()
    }
  },
)
