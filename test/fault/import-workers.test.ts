import { afterAll, beforeAll, expect, test } from 'vitest'
import { createImport, endOf, importsPath } from '../support/imports.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const GENEROUS_MS = 300_000
const ROWS = 40_000
/** More than a worker reads in the time in which it stops. */
const MANY = 150_000

let store: RemoteDatabase
beforeAll(async () => {
  store = await openRemoteDatabase()
})
afterAll(() => store[Symbol.asyncDispose]())

test('a worker that was overtaken reads on, and its end is not taken for that of the import', { timeout: GENEROUS_MS }, async () => {
  await using api = await startService({ ...store.environment, EARSHOT_ROLE: 'api' })
  const team = await makeTeam(store.database)
  await using paused = await startService({ ...store.environment, EARSHOT_ROLE: 'worker' })
  const { id } = await begin(api, team)
  await until('it is read', async () => (await rowsOf(api, team, id)) > ROWS / 20, GENEROUS_MS)
  process.kill(paused.pid, 'SIGSTOP')

  // The first one has lost its connections, as behind a network that failed: the other one takes it for dead, and its job over.
  await store.asOwner(async (sql) => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'earshot worker%' or application_name like 'graphile%'`
  })
  await using other = await startService({ ...store.environment, EARSHOT_ROLE: 'worker' })
  const before = await rowsOf(api, team, id)
  await until('the other one reads on', async () => (await rowsOf(api, team, id)) > before + ROWS / 20, GENEROUS_MS)
  process.kill(paused.pid, 'SIGCONT')
  await until('both read', async () => (await rowsOf(api, team, id)) > before + ROWS / 5, GENEROUS_MS)
  await other.stop('SIGKILL')

  const done = await endOf(api, team, { id })
  expect(done).toMatchObject({ state: 'completed', totals: { rows: ROWS, created: ROWS, skipped: 0, failed: 0 } })
  const [stored] = await store.database.run(
    'select count(*)::int as rows, count(distinct body)::int as bodies from submissions where team_id = $1',
    [team.id],
  )
  expect(stored).toEqual({ rows: ROWS, bodies: ROWS })
  const completed = await store.database.run(`select from events where team_id = $1 and type = 'import.completed'`, [team.id])
  expect(completed).toHaveLength(1)
})

test('a worker that stops leaves its import to the next one at once', { timeout: GENEROUS_MS }, async () => {
  await using api = await startService({ ...store.environment, EARSHOT_ROLE: 'api' })
  const team = await makeTeam(store.database)
  await using first = await startService({ ...store.environment, EARSHOT_ROLE: 'worker' })
  const { id } = await begin(api, team, MANY)
  await until('it is read', async () => (await rowsOf(api, team, id)) > ROWS / 20, GENEROUS_MS)
  await first.stop('SIGTERM')
  const before = await rowsOf(api, team, id)
  expect(before).toBeLessThan(MANY)
  await using _second = await startService({ ...store.environment, EARSHOT_ROLE: 'worker' })
  await until('the next one reads on', async () => (await rowsOf(api, team, id)) > before, GENEROUS_MS)
  expect(await endOf(api, team, { id })).toMatchObject({ state: 'completed', totals: { rows: MANY, created: MANY } })
})

test('an import survives a PostgreSQL that goes away and comes back', { timeout: GENEROUS_MS }, async () => {
  await using service = await startService({ ...store.environment, EARSHOT_ROLE: 'all' })
  const team = await makeTeam(store.database)
  const { id } = await begin(service, team)
  await until('it is read', async () => (await rowsOf(service, team, id)) > ROWS / 20, GENEROUS_MS)
  for (const _round of [1, 2, 3]) {
    await store.asOwner(async (sql) => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    })
    const before = await rowsOf(service, team, id)
    await until('it goes on', async () => (await rowsOf(service, team, id)) > before, GENEROUS_MS)
  }
  expect(await endOf(service, team, { id })).toMatchObject({ state: 'completed', totals: { rows: ROWS, created: ROWS } })
})

/** Begins an import of many rows. Its file is larger than a request may bring. */
async function begin(service: ServiceProcess, team: Team, rows = ROWS): Promise<{ id: string }> {
  const lines = Array.from({ length: rows }, (_row, number) => `person${number}@example.com,Words of ${number}.`)
  const file = `email,text\n${lines.join('\n')}\n`
  const reserved = await createImport(service, team, { size_bytes: Buffer.byteLength(file) })
  const uploaded = await fetch(service.url + importsPath(team, `${reserved.id}/file/`), {
    method: 'PUT',
    headers: { authorization: `Bearer ${team.token}` },
    body: file,
  })
  expect(uploaded.status).toBe(200)
  await service.send('POST', importsPath(team, `${reserved.id}/complete/`), { token: team.token })
  return reserved
}

async function rowsOf(service: ServiceProcess, team: Team, id: string): Promise<number> {
  const answer = await service.send('GET', importsPath(team, `${id}/`), { token: team.token }).catch(() => null)
  return answer?.status === 200 ? answer.body.totals.rows : 0
}
