import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'

/** From the heartbeat that says that it is idle until it polls only once a second. */
const OVERLAP_MS = 2_500
const ROUNDS = 2
/** Less than the statement timeout, after which the blocked look would fail and be tried again. */
const NOTICED_MS = 8_000

let store: RemoteDatabase
beforeAll(async () => {
  store = await openRemoteDatabase()
})
afterAll(() => store[Symbol.asyncDispose]())

test('an idle worker is notified of what another process commits, and asks the database seldom', { timeout: 120_000 }, async () => {
  await using receiver = await startReceiver()
  await using api = await startService({ ...store.environment, EARSHOT_ROLE: 'api' })
  const team = await makeTeam(store.database)
  await using _worker = await startService({ ...store.environment, EARSHOT_ROLE: 'worker', EARSHOT_LOG_LEVEL: 'warn' })
  const webhooks = `/api/v1/teams/${team.id}/webhooks/`
  const made = await api.send('POST', webhooks, { token: team.token, body: { url: receiver.url, events: ['*'] } })
  expect(made.status).toBe(201)
  const submissions = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
  const submit = () =>
    api.send('POST', submissions, {
      token: team.token,
      body: { kind: 'text', body: `Words ${Math.random()}`, author: { name: 'Ada' }, consent: { granted: true } },
    })

  for (let round = 1; round <= ROUNDS; round += 1) {
    await until('the worker is idle', async () => (await idleWorkers()) === 1, 30_000)
    await delay(OVERLAP_MS)
    await store.asOwner((sql) =>
      // Without its look for work, which comes once a second, the worker knows only what it is notified of.
      sql.begin(async (tx) => {
        await tx`lock table image_copies in access exclusive mode`
        await until('the look for work waits', async () => (await waitingLooks()) > 0)
        expect((await submit()).status).toBe(201)
        await until('the event has arrived', () => receiver.requests.length === round, NOTICED_MS)
      }),
    )
    await until('the worker is busy', async () => (await idleWorkers()) === 0)
  }

  await until('the worker is idle again', async () => (await idleWorkers()) === 1, 30_000)
  await delay(OVERLAP_MS)
  const before = await calls()
  await delay(5_000)
  // A heartbeat and a look each second, and what the queue and this test ask.
  expect((await calls()) - before).toBeLessThan(50)
})

async function idleWorkers(): Promise<number> {
  return (await store.database.run('select from webhook_workers where is_idle', [])).length
}

async function waitingLooks(): Promise<number> {
  return (await store.database.run(`select from pg_locks where relation = 'image_copies'::regclass and not granted`, [])).length
}

/** Transactions of the database: each statement of a poll is one. */
async function calls(): Promise<number> {
  let count = Number.NaN
  await store.asOwner(async (sql) => {
    const [row] = await sql<{ count: number }[]>`
      select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()`
    count = row?.count ?? Number.NaN
  })
  return count
}
