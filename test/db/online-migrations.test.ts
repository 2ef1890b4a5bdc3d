import { type OnlineMigrations, openOnlineMigrations } from '@earshot/db/schema'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { EmbeddedPostgres } from '../../db/src/embedded/cluster.ts'
import type { EmbeddedConnection } from '../../db/src/embedded/connection.ts'
import { migrate } from '../../db/src/schema/migrate.ts'
import { DatabaseSetupError } from '../../db/src/schema/setup-error.ts'
import { until } from '../support/until.ts'
import { cleanUp, makeUsedDataDir, query, start } from './clusters.ts'
import { CREATE_NOTES, writeSql } from './migration-directories.ts'

const FIRST = { '0001_notes.sql': CREATE_NOTES }
const INDEX = { '0002_body_idx.online.sql': '-- Lists by body.\ncreate index concurrently notes_body_idx on notes (body);\n' }
const LATER_INDEX = { '0003_body_idx.online.sql': INDEX['0002_body_idx.online.sql'] }
const BACKFILL = {
  '0002_title.sql': `alter table notes add column title text; insert into notes select i, 'body ' || i from generate_series(2, 10) i;`,
  '0003_fill_title.online.sql': `
    with batch as (
      select id from notes where $1 = '' or id > $1::int order by id limit 4
    ), changed as (
      update notes n set title = coalesce(n.title, '') || upper(n.body) from batch b where b.id = n.id returning n.id
    )
    select (select max(id) from batch)::text as position, (select count(*) from changed) as changed_rows`,
}
const IS_VALID = `select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
                   where c.relname like '%body_idx%' order by 1`

let cluster: EmbeddedPostgres
let databaseCount = 0
const opened: { close: () => unknown }[] = []

beforeAll(async () => {
  cluster = await start({ dataDir: makeUsedDataDir() })
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})
afterAll(cleanUp)

test('an empty database gets its online migrations at once, because nothing there takes long', async () => {
  const { address } = await createDatabase()
  expect((await migrate({ address, ...writeSql({ ...FIRST, ...INDEX }) })).migrations).toEqual([
    '0001_notes.sql',
    '0002_body_idx.online.sql',
  ])
  expect(await query(address, IS_VALID)).toEqual([{ name: 'notes_body_idx', valid: true }])
  expect(await query(address, 'select tableowner from pg_tables where tablename = $$notes$$')).toEqual([{ tableowner: 'earshot_owner' }])
})

test('a start leaves an index to be built beside the service, without a lock on its table', async () => {
  const { address } = await createDatabase(FIRST)
  const directories = writeSql({ ...FIRST, ...INDEX })
  expect((await migrate({ address, ...directories })).migrations).toEqual([])
  // A writer whose transaction stays open: a build with a lock would wait for it before it could begin.
  const writer = connect(address)
  await writer.unsafe(`begin; insert into notes values (2, 'two')`)
  const online = openOnline(address, directories)
  const building = runAll(online)
  await buildWaits(address)
  await query(address, `insert into notes values (3, 'three')`)
  await writer.unsafe('commit')
  expect(await building).toEqual(['worked', 'worked', 'done'])
  expect(await query(address, IS_VALID)).toEqual([{ name: 'notes_body_idx', valid: true }])
  expect(await query(address, 'select version from schema_migrations order by 1')).toEqual([{ version: 1 }, { version: 2 }])
  expect((await migrate({ address, ...directories })).migrations).toEqual([])
})

test('what an interrupted build left behind is dropped and built anew', async () => {
  const { address } = await createDatabase(FIRST)
  await query(address, `insert into notes values (2, 'one')`)
  await expect(query(address, 'create unique index concurrently notes_body_idx on notes (body)')).rejects.toThrow('could not create unique')
  expect(await query(address, IS_VALID)).toEqual([{ name: 'notes_body_idx', valid: false }])
  await runAll(openOnline(address, writeSql({ ...FIRST, ...INDEX })))
  expect(await query(address, IS_VALID)).toEqual([{ name: 'notes_body_idx', valid: true }])
})

test('a process that stops while an index is built leaves it to PostgreSQL, and nobody builds a second one meanwhile', async () => {
  const { address } = await createDatabase(FIRST)
  const directories = writeSql({ ...FIRST, ...INDEX })
  const writer = connect(address)
  await writer.unsafe(`begin; insert into notes values (2, 'two')`)
  const [leaving, other] = [openOnline(address, directories), openOnline(address, directories)]
  const abandoned = leaving.step().catch((error: unknown) => error)
  await buildWaits(address)
  leaving.close()
  expect(await abandoned).toEqual(new Error('The step of an online migration was abandoned'))
  expect(await other.step()).toEqual({ outcome: 'busy' })
  await writer.unsafe('commit')
  await until('the other has finished', async () => (await other.step()).outcome === 'done')
  expect(await query(address, IS_VALID)).toEqual([{ name: 'notes_body_idx', valid: true }])
})

test('a step whose connection is lost fails, and the next one builds anew; any other statement runs once', async () => {
  const { address } = await createDatabase(FIRST)
  const online = openOnline(address, writeSql({ ...FIRST, '0002_note.online.sql': `comment on table notes is 'words'`, ...LATER_INDEX }))
  const writer = connect(address)
  expect(await online.step()).toMatchObject({ migration: '0002_note.online.sql', isFinished: true })
  await writer.unsafe(`begin; insert into notes values (2, 'two')`)
  const interrupted = online.step().catch((error: unknown) => error)
  await buildWaits(address)
  await query(address, `select pg_terminate_backend(pid) from pg_stat_activity where query like 'create index%'`)
  expect(await interrupted).toBeInstanceOf(Error)
  await writer.unsafe('commit')
  expect(await runAll(online)).toEqual(['worked', 'worked', 'done'])
  expect(await query(address, IS_VALID)).toEqual([{ name: 'notes_body_idx', valid: true }])
})

test('an index of a partitioned table is built for one partition after the other, and made one', async () => {
  const parts = {
    '0001_notes.sql': `create table notes (id int, body text) partition by range (id);
                       create table notes_1 partition of notes for values from (0) to (10);
                       create table notes_2 partition of notes for values from (10) to (20);`,
  }
  const { address } = await createDatabase(parts)
  expect(await runAll(openOnline(address, writeSql({ ...parts, ...INDEX })))).toEqual(['worked', 'worked', 'worked', 'done'])
  expect(await query(address, IS_VALID)).toEqual(['', '_1', '_2'].map((end) => ({ name: `notes_body_idx${end}`, valid: true })))
  expect(await query(address, `select from pg_inherits where inhparent = 'notes_body_idx'::regclass`)).toHaveLength(2)
})

test('rows are changed in batches; what is interrupted goes on with the next batch, and none is changed twice', async () => {
  const { address } = await createDatabase(FIRST)
  const directories = writeSql({ ...FIRST, ...BACKFILL })
  expect((await migrate({ address, ...directories })).migrations).toEqual(['0002_title.sql'])
  const first = openOnline(address, directories)
  expect(await first.step()).toEqual({ outcome: 'worked', migration: '0003_fill_title.online.sql', changedRows: 4, isFinished: false })
  first.close()
  const progress = 'select version, position, changed_rows::int from schema_progress'
  expect(await query(address, progress)).toEqual([{ version: 3, position: '4', changed_rows: 4 }])
  expect(await runAll(openOnline(address, directories))).toEqual(['worked', 'worked', 'worked', 'done'])
  expect(await query(address, progress)).toEqual([{ version: 3, position: '10', changed_rows: 10 }])
  const rows = await query(address, 'select body, title from notes')
  expect(rows).toHaveLength(10)
  for (const { body, title } of rows) expect(title).toBe(body.toUpperCase())
})

test('a migration that comes after an online one has it finished first, by the start', async () => {
  const { address } = await createDatabase(FIRST)
  const all = { ...FIRST, ...BACKFILL, '0004_require.sql': '-- after: 0003\nalter table notes alter column title set not null' }
  const unrelated = { ...FIRST, ...BACKFILL, '0004_other.sql': 'create table other ()' }
  expect((await migrate({ address, ...writeSql(all) })).migrations).toEqual([
    '0002_title.sql',
    '0003_fill_title.online.sql',
    '0004_require.sql',
  ])

  const { address: another } = await createDatabase(FIRST)
  const directories = writeSql(unrelated)
  expect((await migrate({ address: another, ...directories })).migrations).toEqual(['0002_title.sql', '0004_other.sql'])
  await runAll(openOnline(another, directories))
  expect(await query(another, 'select from notes where title is null')).toEqual([])
})

test('one process works at a time; functions do not wait for it', async () => {
  const { address } = await createDatabase(FIRST)
  const directories = writeSql(
    { ...FIRST, ...INDEX },
    { 'two.sql': 'create or replace function two() returns int language sql as $$ select 2 $$' },
  )
  const worker = connect(address)
  await worker.unsafe(`select pg_advisory_lock(${0x45415253})`)
  expect(await openOnline(address, directories).step()).toEqual({ outcome: 'busy' })
  expect((await migrate({ address, ...directories })).functionsApplied).toBe(true)
})

test('an online migration that fails is named, and is tried again', async () => {
  const { address } = await createDatabase(FIRST)
  const online = openOnline(
    address,
    writeSql({ ...FIRST, '0002_wrong.online.sql': 'create index concurrently wrong_idx on notes (missing)' }),
  )
  for (const attempt of [1, 2]) {
    const error = await online.step().then(String, (thrown: Error) => thrown)
    expect(error, `attempt ${attempt}`).toBeInstanceOf(DatabaseSetupError)
    expect(String(error)).toContain('Migration 0002_wrong.online.sql failed: column "missing" does not exist.')
  }
})

test('it leaves the connection as it was', async () => {
  const { address } = await createDatabase(FIRST)
  const client = connect(address)
  await migrate({ client, ...writeSql({ ...FIRST, ...BACKFILL, '0004_last.sql': '-- after: 0003\nselect 1' }) })
  const [row] = await client`select current_user as role, current_setting('search_path') as path`
  expect(row).toEqual({ role: 'earshot', path: '"$user", public' })
})

/** A database of its own; with migrations, one that they were applied to before. */
async function createDatabase(migrations?: Record<string, string>): Promise<{ address: EmbeddedConnection }> {
  databaseCount += 1
  const address = { ...cluster.connection, database: `online_${databaseCount}` }
  await query(cluster.connection, `create database ${address.database}`)
  if (migrations) await migrate({ address, ...writeSql(migrations) })
  return { address }
}

function openOnline(address: EmbeddedConnection, directories: ReturnType<typeof writeSql>): OnlineMigrations {
  const online = openOnlineMigrations(address, directories)
  opened.push(online)
  return online
}

/** Waits until an index is being built, which waits for a writer in turn. */
function buildWaits(address: EmbeddedConnection): Promise<void> {
  return until('the build waits for the writer', async () => {
    const waiting = await query(
      address,
      `select from pg_stat_activity
        where datname = current_database() and query like 'create index%' and wait_event_type = 'Lock'`,
    )
    return waiting.length === 1
  })
}

/** Runs steps until none is left. Returns their outcomes. */
async function runAll(online: OnlineMigrations): Promise<string[]> {
  const outcomes: string[] = []
  while (outcomes.at(-1) !== 'done') outcomes.push((await online.step()).outcome)
  return outcomes
}

function connect(address: EmbeddedConnection): postgres.Sql {
  const client = postgres({ ...address, max: 1, onnotice: () => {} })
  opened.push({ close: () => client.end({ timeout: 0 }) })
  return client
}
