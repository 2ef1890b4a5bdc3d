import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import { isLongForm } from '../support/form.ts'
import { createImport, endOf, importsPath } from '../support/imports.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { showErrors } from '../support/show-errors.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const PROCESS = fileURLToPath(new URL('../support/import-process.ts', import.meta.url))
const ROWS = isLongForm ? 100_000 : 6_000
/** As many as one process reads in its turn. */
const FEW = 6_000
const KILLS = isLongForm ? 200 : 8
/** How long a process may work before it is killed: about a batch. Every second one has stored one before. */
const MAX_WORK_MS = 100
const LIMIT_MS = isLongForm ? 2_000_000 : 120_000
/** Asking more often takes the processor from the processes that are to be killed. */
const INTERVAL_MS = 50
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000)

let service: TestService
let blobs: string
beforeAll(async () => {
  service = await startTestService()
  blobs = await mkdtemp(join(tmpdir(), 'earshot-import-kill-'))
})
afterAll(async () => {
  // Too many to be searched for secrets as one text.
  await asOwner((sql) => sql`truncate submissions, events cascade`)
  await service.close()
  await rm(blobs, { recursive: true })
})

test('an import whose processes are killed at any moment stores every row once', { timeout: LIMIT_MS }, async () => {
  const [quiet, killed] = [await begin(ROWS), await begin(ROWS)]
  await runToEnd(quiet)

  const pauses = fc.sample(fc.integer({ min: 0, max: MAX_WORK_MS }), { numRuns: KILLS, seed: SEED })
  for (const [round, workMs] of pauses.entries()) {
    const before = await rowsRead(killed)
    const child = start(killed)
    await ready(child)
    if (round % 2 === 1)
      await until('it has stored a batch', async () => (await rowsRead(killed)) > before || child.exitCode !== null, LIMIT_MS, INTERVAL_MS)
    await delay(workMs)
    child.kill('SIGKILL')
    if (child.exitCode === null) await once(child, 'close')
  }
  const read = await rowsRead(killed)
  console.log(`seed ${SEED}: ${KILLS} kills, ${read} of ${ROWS} rows read then`)
  expect(read).toBeGreaterThan(0)
  await runToEnd(killed)
  expect(await resultOf(killed)).toEqual(await resultOf(quiet))
})

test('two processes at one import, each of which stands still for a while, store every row once', { timeout: LIMIT_MS }, async () => {
  const [quiet, shared] = [await begin(FEW), await begin(FEW)]
  await runToEnd(quiet)

  const [first, second] = [start(shared), start(shared)]
  await Promise.all([first, second].map(ready))
  for (const [still, share] of [
    [first, 0.2],
    [second, 0.6],
  ] as const) {
    still.kill('SIGSTOP')
    // As PostgreSQL does itself, later, with a transaction whose process stands still.
    await endConnections(`earshot import ${still.pid}`)
    await until('the other one has gone on', async () => (await rowsRead(shared)) >= FEW * share, LIMIT_MS, INTERVAL_MS)
    still.kill('SIGCONT')
  }
  await Promise.all([first, second].map(async (child) => child.exitCode ?? once(child, 'close')))
  await runToEnd(shared)
  expect([first, second].map(({ exitCode }) => exitCode)).toEqual([0, 0])
  expect(await resultOf(shared)).toEqual(await resultOf(quiet))
})

function endConnections(application: string): Promise<unknown> {
  return asOwner((sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${application}`)
}

async function asOwner(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres({ ...service.address, max: 1, onnotice: () => {} })
  await work(sql)
  await sql.end()
}

interface Begun {
  team: Team
  id: string
}

/** Begins an import of rows of which some are double and some wrong. Its file is larger than a request may bring. */
async function begin(rows: number): Promise<Begun> {
  const team = await makeTeam(service.database)
  const { id } = await createImport(service, team, { csv: 'text\nWords.\n' })
  await service.database.run('update import_files set bytes = $2 where import_id = $1', [id, Buffer.from(fileOf(rows))])
  return { team, id }
}

function fileOf(rows: number): string {
  const lines = Array.from({ length: rows }, (_row, number) => {
    const person = number % 50 === 7 ? number - 7 : number
    const rating = number % 100 === 13 ? 'none' : (number % 5) + 1
    return `person${person}@example.com,Words of ${person}.,${rating},"t${number % 7},t${number % 3}"`
  })
  return `email,text,rating,tags\n${lines.join('\n')}\n`
}

function start({ team, id }: Begun): ChildProcess {
  const ref = { ...team.project, import_id: id }
  const options = { address: service.address, secretKey: Buffer.alloc(32).toString('base64'), blobs, ref }
  const child = spawn(process.execPath, [PROCESS, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...COMPILE_CACHE },
  })
  showErrors(child)
  return child
}

async function ready(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  child.stdout?.on('data', () => resolve())
  await promise
}

async function runToEnd(begun: Begun): Promise<void> {
  // A process leaves the import after its turn; the queue would give it to another one.
  while ((await stateOf(begun)) === 'running') await once(start(begun), 'close')
  expect(await stateOf(begun)).toBe('completed')
}

async function stateOf({ team, id }: Begun): Promise<string> {
  return (await service.send('GET', importsPath(team, `${id}/`), { token: team.token })).body.state
}

async function rowsRead({ team, id }: Begun): Promise<number> {
  return (await service.send('GET', importsPath(team, `${id}/`), { token: team.token })).body.totals.rows
}

/** All that an import leaves, without ids and times. */
async function resultOf({ team, id }: Begun) {
  const { totals, state } = await endOf(service, team, { id })
  const read = <Row>(text: string) => service.database.run<Row>(text, [team.id])
  const [records] = await read(`select count(*)::int as count, count(distinct author_email || body)::int as unique_count,
       md5(string_agg(author_email || body || rating || tags::text, '' order by author_email)) as hash from submissions where team_id = $1`)
  const events = await read('select type, count(*)::int as count from events where team_id = $1 group by type order by type')
  const [unnumbered] = await read('select count(*)::int as count from unnumbered_events where team_id = $1')
  const [failed] = await read(`select count(*)::int as count, md5(string_agg(row_number || ' ' || line, ',' order by row_number)) as hash
       from import_rows where team_id = $1`)
  const [used] = await read(`select sum(used)::int as used from quota_usage where team_id = $1 and quota = 'imported_rows'`)
  const counts = await read('select sum(amount)::int as count from submission_changes where team_id = $1')
  return { totals, state, records, events, unnumbered, failed, used, counts }
}
