import { openDatabase } from '@earshot/db'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { openRemoteDatabase } from '../support/remote-database.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

// A reply never reaches a caller whose statement it does not belong to: replies have no names, only an order (ADR 36).

let store: TestDatabase
let administrator: postgres.Sql
let columns = 0

beforeAll(async () => {
  store = await openTestDatabase({ poolSize: 1 })
  administrator = postgres({ ...parts(store), max: 1, onnotice: () => {} })
  await administrator`create table owned (id int, owner text)`
  await administrator`insert into owned select i, 'owner ' || i from generate_series(1, 9) i`
  await administrator`grant select, insert on owned to earshot_worker`
})
beforeEach(() => {
  store.statements.length = 0
})
afterAll(async () => {
  await administrator.end()
  await store.close()
})

const ALL = 'select * from owned where id = $1'
const OWNER = 'select owner from owned where id = $1'

/** What an upgrade does beside the service. */
async function addColumn(): Promise<void> {
  columns += 1
  await administrator.unsafe(`alter table owned add column column_${columns} text`)
}

test('the driver alone gives callers the rows of others: it sends a statement again behind those in flight', async () => {
  const driver = postgres({ ...parts(store), max: 1, fetch_types: false })
  const ask = (text: string, id: number) => driver.unsafe(text, [id], { prepare: true }).then((rows) => [...rows])
  await ask(ALL, 1)
  await ask(OWNER, 1)
  await addColumn()
  const first = ask(ALL, 1)
  const second = ask(ALL, 2).catch(() => 'an error of the driver')
  await first
  const [third, fourth] = await Promise.all([ask(OWNER, 3), ask(OWNER, 4)])
  expect(third).toEqual([{ owner: 'owner 4' }])
  expect(fourth).toEqual([])
  expect(await second).toBe('an error of the driver')
  await driver.end({ timeout: 0 })
})

test('a statement whose table got a column runs again on a new connection, with the same values', async () => {
  const before = await store.database.run('select pg_backend_pid() as pid', [])
  const values = [1, true, false, Buffer.from('bytes'), ['a', 'b'], '{"a": [1]}', '2026-01-02T03:04:05.678Z', 1.5, null, '\\x']
  const types = 'int, boolean, boolean, bytea, text[], jsonb, timestamptz, numeric, text, text'.split(', ')
  const shown = types.map((type, index) => `$${index + 1}::${type}::text as value_${index}`).join(', ')
  const ask = () => store.database.run(`select *, ${shown} from owned where id = $1`, values)
  const [first] = await ask()
  expect(first).toMatchObject({ value_1: 'true', value_2: 'false', value_3: '\\x6279746573', value_4: '{a,b}', value_9: '\\x' })
  await addColumn()
  expect(await ask()).toEqual([{ ...(first as object), [`column_${columns}`]: null }])
  expect(await store.database.run('select pg_backend_pid() as pid', [])).not.toEqual(before)
})

test('a transaction runs again as a whole, and its first try leaves nothing', async () => {
  await store.database.run(ALL, [1])
  await addColumn()
  let tries = 0
  const rows = await store.database.transaction(async (tx) => {
    tries += 1
    await tx.run('insert into owned (id, owner) values ($1, $2)', [100, `try ${tries}`])
    return tx.run(ALL, [100])
  })
  expect(tries).toBe(2)
  expect(rows).toMatchObject([{ owner: 'try 2' }])
  expect(await store.database.run(OWNER, [100])).toEqual([{ owner: 'try 2' }])
})

test('a submission that waits while its table changes is stored, once', async () => {
  const team = await makeTeam(store.database)
  await team.submit({ body: 'Before.' })
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  let submitting: ReturnType<typeof team.submit> | undefined
  await administrator.begin(async (sql) => {
    await sql`alter table submissions add column added text default 'added'`
    submitting = team.submit({ body: 'Meanwhile.' })
    await expect.poll(() => sql.unsafe(waiting)).toHaveLength(1)
  })
  expect(await submitting).toMatchObject({ body: 'Meanwhile.' })
  expect(await administrator`select body from submissions order by id`).toEqual([{ body: 'Before.' }, { body: 'Meanwhile.' }])
  await administrator`alter table submissions drop column added`
})

test('work whose tables change at each try fails with 503', async () => {
  const database = openDatabase({ address: store.address, poolSize: 1, applicationName: 'earshot test' })
  const changing = database.transaction(async (tx) => {
    await tx.run(ALL, [1])
    await tx.run('commit', [])
    await addColumn()
    await tx.run(ALL, [1])
  })
  await expect(changing).rejects.toMatchObject({ code: 'dependency_unavailable' })
  await database.close()
})

test('a connection has one statement in flight, within a transaction too', async () => {
  const two = store.database.transaction((tx) => Promise.all([tx.run(OWNER, [1]), tx.run(OWNER, [2])]))
  await expect(two).rejects.toThrow('one statement at a time')
  expect(await store.database.run(OWNER, [3])).toEqual([{ owner: 'owner 3' }])
})

/** A row without columns: the type of the message, its length, the number of columns. */
const EMPTY_ROW = Buffer.from([0x44, 0, 0, 0, 6, 0, 0])

test('a reply of another shape ends its connection, and only its caller gets an error: 503', async () => {
  await using remote = await openRemoteDatabase()
  const database = openDatabase({ address: { url: remote.environment.DATABASE_URL }, poolSize: 1, applicationName: 'earshot test' })
  const ask = (number: number) => database.run('select pg_backend_pid() as pid, $1::int as number', [number])
  const [first] = await ask(1)
  remote.proxy.alterReplies((bytes) => {
    remote.proxy.alterReplies(null)
    return Buffer.concat([EMPTY_ROW, bytes])
  })
  await expect(ask(2)).rejects.toMatchObject({ code: 'dependency_unavailable' })
  const [third] = await ask(3)
  expect(third).toMatchObject({ number: 3 })
  expect(third).not.toMatchObject({ pid: (first as { pid: number }).pid })
  await database.close()
})

test('a commit that fails leaves no transaction to the next caller', async () => {
  await using remote = await openRemoteDatabase()
  const database = openDatabase({ address: { url: remote.environment.DATABASE_URL }, poolSize: 1, applicationName: 'earshot test' })
  await database.run('create table kept (id int)', [])
  remote.proxy.alterRequests((bytes) => Buffer.from(bytes.toString('latin1').replace('commit', 'commjt'), 'latin1'))
  await expect(database.transaction((tx) => tx.run('insert into kept values ($1)', [1]))).rejects.toThrow('syntax error')
  remote.proxy.alterRequests(null)
  expect(await database.run('select pg_current_xact_id_if_assigned() as open, id from kept right join (select) s on true', [])).toEqual([
    { open: null, id: null },
  ])
  await database.close()
})

function parts({ address: { host = '', port, user = '', password = '', database = '' } }: TestDatabase) {
  return { host, user, password, database, ...(port && { port }) }
}
