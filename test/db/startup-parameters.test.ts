import { openDatabase, openTeamDatabase } from '@earshot/db'
import { openQueuePool, prepareDatabase } from '@earshot/db/schema'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'

// A pooler refuses a connection that asks for settings at its start, or drops them: it knows the few that it can restore
// when it gives a server connection to another client. These are PgBouncer's.
const KNOWN_TO_POOLERS = ['user', 'database', 'client_encoding', 'application_name']
/** The protocol's version 3.0, with which a start-up message begins behind its length. */
const VERSION_3 = 0x30000
const SETTINGS = [
  ...['role', 'TimeZone', 'plan_cache_mode', 'enable_bitmapscan', 'idle_in_transaction_session_timeout', 'statement_timeout'],
  'transaction_timeout',
]
const SETTINGS_QUERY = `select name, setting from pg_settings where name = any ('{${SETTINGS}}') union all select 'role', current_user`

let remote: RemoteDatabase
let asked: string[][] = []
beforeAll(async () => {
  remote = await openRemoteDatabase()
  remote.proxy.alterRequests((bytes) => {
    if (bytes.length > 8 && bytes.readUInt32BE(4) === VERSION_3) asked.push(namesIn(bytes))
    return bytes
  })
})
beforeEach(() => {
  asked = []
})
afterAll(() => remote[Symbol.asyncDispose]())

const address = () => ({ url: remote.environment.DATABASE_URL })
const applicationName = 'earshot test'

test('a connection asks for nothing at its start that a pooler would refuse, and has its role and settings at its first statement', async () => {
  const database = openDatabase({ address: address(), role: 'earshot_worker', poolSize: 1, applicationName, statementTimeoutMs: 7_000 })
  const rows = await database.run<{ name: string; setting: string }>(SETTINGS_QUERY, [])
  await database.close()
  expectKnown(1)
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    role: 'earshot_worker',
    TimeZone: 'UTC',
    plan_cache_mode: 'force_generic_plan',
    enable_bitmapscan: 'off',
    idle_in_transaction_session_timeout: '20000',
    statement_timeout: '7000',
    transaction_timeout: '45000',
  })
})

test('so does a connection that is bound to a team', async () => {
  const database = openTeamDatabase({ address: address(), poolSize: 1, applicationName })
  const rows = await database.forTeam('019a0000-0000-7000-8000-000000000000').run('select current_user as role', [])
  await database.close()
  expectKnown(1)
  expect(rows).toEqual([{ role: 'earshot_app' }])
})

test('so does a connection of the job queue, which owns the queue’s tables', async () => {
  const pool = await openQueuePool(address(), { max: 2, onError: () => {} })
  const roles = await Promise.all([1, 2].map(() => pool.query('select current_user as role, pg_sleep(0.1)')))
  await pool.end()
  expectKnown(2)
  expect(roles.map(({ rows }) => rows[0].role)).toEqual(['earshot_owner', 'earshot_owner'])
})

test('so do the connections of a start', async () => {
  await prepareDatabase(address())
  expectKnown(2)
})

test('a connection that cannot have its role runs no statement', async () => {
  await remote.asOwner((sql) => sql`create role stranger login password 'stranger'`)
  try {
    const { url } = address()
    const database = openDatabase({
      address: { url: url.replace(/\/\/[^@]*@/, '//stranger:stranger@') },
      role: 'earshot_worker',
      poolSize: 1,
      applicationName,
    })
    const ask = () => database.run('select current_user', [])
    await expect(ask()).rejects.toThrow('permission denied to set role "earshot_worker"')
    await expect(ask()).rejects.toThrow('permission denied to set role "earshot_worker"')
    await database.close()
  } finally {
    await remote.asOwner((sql) => sql`drop role stranger`)
  }
})

function expectKnown(min: number): void {
  expect(asked.length).toBeGreaterThanOrEqual(min)
  for (const names of asked) expect(KNOWN_TO_POOLERS).toEqual(expect.arrayContaining(names))
}

/** Returns the names of a start-up message's parameters: pairs of a name and a value, each ended by a zero. */
function namesIn(message: Buffer): string[] {
  const words = message.subarray(8).toString().split('\0')
  return words.filter((word, index) => index % 2 === 0 && word !== '')
}
