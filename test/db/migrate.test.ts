import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { EmbeddedPostgres } from '../../db/src/embedded/cluster.ts'
import type { EmbeddedConnection } from '../../db/src/embedded/connection.ts'
import { migrate } from '../../db/src/schema/migrate.ts'
import { DatabaseSetupError } from '../../db/src/schema/setup-error.ts'
import { measureLateness } from '../support/lateness.ts'
import { until } from '../support/until.ts'
import { cleanUp, makeDataDir, query, start } from './clusters.ts'
import { CREATE_NOTES, writeSql } from './migration-directories.ts'

let cluster: EmbeddedPostgres
let databaseCount = 0
const clients: postgres.Sql[] = []

beforeAll(async () => {
  cluster = await start({ dataDir: makeDataDir() })
})

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end({ timeout: 5 })
})

afterAll(cleanUp)

test('a login role that cannot create the roles gets the statements for its administrator, and serves once they were run', async () => {
  const address = await createDatabase()
  await query(cluster.connection, `create role plain login password 'plain'`)
  const asPlain = { ...address, user: 'plain', password: 'plain' }
  const directories = writeSql({ '0001_notes.sql': CREATE_NOTES })

  const error = await readError(migrate({ address: asPlain, ...directories }))
  expect(error).toBeInstanceOf(DatabaseSetupError)
  expect(error.message).not.toContain('\n')
  const [, statements = ''] = error.message.split('administrator run: ')
  expect(statements).toContain('create role earshot_owner nologin; grant earshot_owner to plain')

  await query(address, statements)
  // The owner's rights in the database could not be asked for before there was an owner.
  const [, rest = ''] = (await readError(migrate({ address: asPlain, ...directories }))).message.split('administrator run: ')
  expect(rest).toBe(`grant create on database ${address.database} to earshot_owner; grant usage, create on schema public to earshot_owner;`)
  await query(address, rest)
  expect(await migrate({ address: asPlain, ...directories })).toMatchObject({ migrations: ['0001_notes.sql'], functionsApplied: true })
  expect(await migrate({ address: asPlain, ...directories })).toMatchObject({ migrations: [], functionsApplied: false })
})

test('a database owner that can create roles creates them, may set each and inherits from none', async () => {
  await query(cluster.connection, 'drop owned by plain; drop role plain')
  const dropping = await query(cluster.connection, `select datname from pg_database where datname like 'migrate_%'`)
  for (const { datname } of dropping) await query(cluster.connection, `drop database ${datname}`)
  await query(cluster.connection, 'drop role earshot_owner, earshot_app, earshot_worker')

  await query(cluster.connection, `create role steward login createrole password 'steward'`)
  const address = await createDatabase('steward')
  const asSteward = { ...address, user: 'steward', password: 'steward' }
  await migrate({ address: asSteward, ...writeSql({ '0001_notes.sql': CREATE_NOTES }) })
  await expect(query(asSteward, 'select * from notes')).rejects.toMatchObject({ code: '42501' })
  expect(
    await query(asSteward, 'set role earshot_app; set role earshot_worker; set role earshot_owner; select id from notes'),
  ).toBeDefined()
  const owner = await query(address, `select tableowner from pg_tables where tablename = 'notes'`)
  expect(owner).toEqual([{ tableowner: 'earshot_owner' }])
})

test('twenty replicas that start at once migrate once, and each then finds the database ready', async () => {
  const address = await createDatabase()
  // It fails when it runs twice, and takes long enough for everybody to arrive.
  const directories = writeSql({
    '0001_notes.sql': `${CREATE_NOTES} select pg_sleep(0.2);`,
    '0002_more.sql': 'insert into notes values (2, $$two$$)',
  })
  const results = await Promise.all(Array.from({ length: 20 }, () => migrate({ address, ...directories })))
  expect(results.flatMap(({ migrations }) => migrations)).toEqual(['0001_notes.sql', '0002_more.sql'])
  expect(results.filter(({ functionsApplied }) => functionsApplied)).toHaveLength(1)
  expect(await query(address, 'select count_notes()')).toEqual([{ count_notes: '2' }])
})

test('replicas on different databases of one server can create the roles at the same time', async () => {
  const names = await query(cluster.connection, `select datname from pg_database where datname like 'migrate_%'`)
  for (const { datname } of names) await query(cluster.connection, `drop database ${datname}`)
  await query(cluster.connection, 'drop role earshot_owner, earshot_app, earshot_worker')
  const addresses = [await createDatabase(), await createDatabase(), await createDatabase(), await createDatabase()]
  const directories = writeSql({ '0001_notes.sql': CREATE_NOTES })
  const results = await Promise.all(addresses.map((address) => migrate({ address, ...directories })))
  expect(results.map(({ migrations }) => migrations)).toEqual(addresses.map(() => ['0001_notes.sql']))
})

test('a migration gives way to a table that is busy for long, and is done in a pause', async () => {
  const address = await createDatabase()
  await migrate({ address, ...writeSql({ '0001_notes.sql': CREATE_NOTES }) })
  const directories = writeSql({
    '0001_notes.sql': CREATE_NOTES,
    // What it did before it had to wait is undone each time.
    '0002_told.sql': 'create table told (id integer); alter table notes add column told boolean not null default false;',
  })
  const busy = connect(address)
  const writer = connect(address)
  let isBusy = true
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const holding = busy.begin(async (tx) => {
    await tx.unsafe(`insert into notes values (2, 'two')`)
    resolve()
    // Longer than a migration waits at once.
    while (isBusy) await tx`select pg_sleep(0.1)`
  })
  await begun
  const lines: string[] = []
  const migrating = migrate({ address, ...directories, tell: (line) => lines.push(line) })
  await until('the migration waits for the table', () => lines.length > 0)
  // Meanwhile the old version writes on: no statement waits behind the migration for long.
  const waitsMs: number[] = []
  using lateness = measureLateness()
  for (let id = 10; id < 15; id += 1) {
    const startedMs = performance.now()
    await writer.unsafe(`insert into notes values (${id}, 'more')`)
    waitsMs.push(performance.now() - startedMs)
    await new Promise((next) => setTimeout(next, 500))
  }
  isBusy = false
  await holding
  // It has tried, and says once what the start waits for.
  expect(lines).toEqual([expect.stringContaining('0002_told.sql waits for a table')])
  expect(Math.max(...waitsMs)).toBeLessThan(8_000 + lateness.seconds() * 1_000)
  expect(await migrating).toMatchObject({ migrations: ['0002_told.sql'] })
  expect(await query(address, 'select count(*) from notes where not told')).toEqual([{ count: '7' }])
})

test('when nothing is missing, migrating takes one query and waits for no lock', async () => {
  const address = await createDatabase()
  const directories = writeSql({ '0001_notes.sql': CREATE_NOTES })
  await migrate({ address, ...directories })
  const holder = connect(address)
  const session = await holder.reserve()
  await session`select pg_advisory_lock(${0x45415253})`
  const statements: string[] = []
  const client = connect(address, { fetch_types: false, debug: (_id, text) => statements.push(text) })
  await migrate({ client, ...directories })
  expect(statements).toHaveLength(1)
  session.release()
})

test('a pool’s client can be passed and keeps its own settings', async () => {
  const address = await createDatabase()
  const client = connect(address, { max: 3, connection: { statement_timeout: 100 } })
  await migrate({ client, ...writeSql({ '0001_slow.sql': 'select pg_sleep(0.3); create table notes ();' }, {}) })
  const settings = await Promise.all(
    [1, 2, 3].map(() => client`select current_setting('statement_timeout') as timeout, current_user as role`),
  )
  expect(new Set(settings.map(([row]) => `${row?.timeout} ${row?.role}`))).toEqual(new Set(['100ms earshot']))
  const locks = await client`select from pg_locks where locktype = 'advisory'`
  expect(locks).toHaveLength(0)
})

test('a failing migration changes nothing and names its file and line; earlier ones stay', async () => {
  const address = await createDatabase()
  const broken = { '0001_notes.sql': CREATE_NOTES, '0002_broken.sql': 'insert into notes values (2, $$two$$);\nselect missing from notes;' }
  const error = await readError(migrate({ address, ...writeSql(broken) }))
  expect(error).toBeInstanceOf(DatabaseSetupError)
  expect(error.message).toBe('Migration 0002_broken.sql failed at line 2: column "missing" does not exist.')
  expect(await query(address, 'select version from schema_migrations')).toEqual([{ version: 1 }])
  expect(await query(address, 'select id from notes')).toEqual([{ id: 1 }])
  const repaired = writeSql({ ...broken, '0002_broken.sql': 'insert into notes values (2, $$two$$)' })
  expect((await migrate({ address, ...repaired })).migrations).toEqual(['0002_broken.sql'])
})

test('a migration that was changed after it was applied is refused', async () => {
  const address = await createDatabase()
  await migrate({ address, ...writeSql({ '0001_notes.sql': CREATE_NOTES }) })
  const changed = migrate({ address, ...writeSql({ '0001_notes.sql': `${CREATE_NOTES} -- again` }) })
  await expect(changed).rejects.toThrow('The migration 0001_notes was changed after it was applied. Restore the file.')
})

test('older code works on a newer database until a migration needs newer code, and then says so in one line', async () => {
  const address = await createDatabase()
  const older = { '0001_notes.sql': CREATE_NOTES }
  const newer = { ...older, '0002_title.sql': 'alter table notes add column title text' }
  await migrate({ address, ...writeSql(newer) })
  expect(await migrate({ address, ...writeSql(older) })).toMatchObject({ migrations: [] })

  const newest = { ...newer, '0003_drop.sql': '-- What 0002 replaced.\n-- least code: 0002\nalter table notes drop column body' }
  await migrate({ address, ...writeSql(newest) })
  expect(await migrate({ address, ...writeSql(newer) })).toMatchObject({ migrations: [] })
  const error = await readError(migrate({ address, ...writeSql(older) }))
  expect(error).toBeInstanceOf(DatabaseSetupError)
  expect(error.message).toBe(
    'This Earshot (0001) is too old for its database: since the migration 0003_drop it needs 0002 or newer. Start a newer version.',
  )
})

test('functions of a newer version stay when older code starts, whichever started last', async () => {
  const address = await createDatabase()
  const migrations = { '0001_notes.sql': CREATE_NOTES }
  const version = (number: number, answer: number) =>
    writeSql(
      migrations,
      { 'answer.sql': `create or replace function answer() returns int language sql as $$ select ${answer} $$;` },
      number,
    )
  const [older, newer] = [version(1, 11), version(2, 22)]
  const answer = () => query(address, 'select answer()')
  expect((await migrate({ address, ...older })).functionsApplied).toBe(true)
  expect((await migrate({ address, ...newer })).functionsApplied).toBe(true)
  for (const started of [older, newer, older]) {
    expect((await migrate({ address, ...started })).functionsApplied).toBe(false)
    expect(await answer()).toEqual([{ answer: 22 }])
  }
  // A checkout that is worked on: the same version, until its functions are committed.
  expect((await migrate({ address, ...version(2, 23) })).functionsApplied).toBe(true)
  expect(await answer()).toEqual([{ answer: 23 }])
})

test('a migration numbered below one that is applied is refused', async () => {
  const address = await createDatabase()
  const applied = { '0001_notes.sql': CREATE_NOTES, '0003_third.sql': 'create table third ()' }
  await migrate({ address, ...writeSql(applied) })
  const refused = migrate({ address, ...writeSql({ ...applied, '0002_late.sql': 'create table late ()' }) })
  await expect(refused).rejects.toThrow('The migration 0002_late.sql has a lower number than one that is already applied.')
})

test('misnamed and duplicate migrations are refused before the database is queried', async () => {
  const address = { host: '/nowhere' }
  await expect(migrate({ address, ...writeSql({ 'notes.sql': '' }) })).rejects.toThrow('notes.sql is not named like 0001_name.sql')
  await expect(migrate({ address, ...writeSql({ '0001_a.sql': '', '0001_b.sql': '' }) })).rejects.toThrow('Two migrations have the version')
})

test('a migration that drops or renames says which code can do without, and is refused otherwise', async () => {
  const address = { host: '/nowhere' }
  for (const text of ['drop table notes', 'alter table notes drop column body', 'alter table notes rename column body to words'])
    await expect(migrate({ address, ...writeSql({ '0001_a.sql': text }) })).rejects.toThrow('must say which code can do without')
})

test('the functions are applied again when any of them changed, in any order of their names, all or none', async () => {
  const address = await createDatabase()
  const migrations = { '0001_notes.sql': CREATE_NOTES }
  const callsLater = 'create or replace function a_first() returns bigint language sql as $$ select z_last() $$;'
  const later = (result: number) => `create or replace function z_last() returns bigint language sql as $$ select ${result}::bigint $$;`
  const apply = (functions: Record<string, string>) => migrate({ address, ...writeSql(migrations, functions) })

  expect((await apply({ 'a_first.sql': callsLater, 'z_last.sql': later(1) })).functionsApplied).toBe(true)
  expect((await apply({ 'a_first.sql': callsLater, 'z_last.sql': later(1) })).functionsApplied).toBe(false)
  expect((await apply({ 'a_first.sql': callsLater, 'z_last.sql': later(2) })).functionsApplied).toBe(true)
  const broken = { 'a_first.sql': callsLater, 'b_second.sql': later(3), 'z_last.sql': 'create or replace function z_last(' }
  await expect(apply(broken)).rejects.toThrow('Function z_last.sql failed at line 1: syntax error at end of input.')
  expect(await query(address, 'select a_first()')).toEqual([{ a_first: '2' }])
})

async function createDatabase(owner = 'earshot'): Promise<EmbeddedConnection> {
  databaseCount += 1
  const database = `migrate_${databaseCount}`
  await query(cluster.connection, `create database ${database} owner ${owner}`)
  return { ...cluster.connection, database }
}

function connect(address: EmbeddedConnection, options: postgres.Options<Record<string, never>> = {}): postgres.Sql {
  const client = postgres({ ...address, onnotice: () => {}, ...options })
  clients.push(client)
  return client
}

async function readError(failing: Promise<unknown>): Promise<Error> {
  const thrown = await failing.then(
    () => new Error('It did not fail.'),
    (error: unknown) => error,
  )
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
