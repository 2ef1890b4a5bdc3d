import { plans } from '@earshot/contracts'
import { type Database, openDatabase, readUsage, setTeamPlan } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { setUsed } from '../support/quotas.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

const CONNECTIONS = 24
const CHARGES = 2_000
const MAX = plans.business.quotas.submissions

let store: TestDatabase
let connections: Database[]
beforeAll(async () => {
  store = await openTestDatabase()
  connections = Array.from({ length: CONNECTIONS }, () =>
    openDatabase({ address: store.address, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot test' }),
  )
})
afterAll(async () => {
  await Promise.all(connections.map((each) => each.close()))
  await store.close()
})

test('a charge takes as much work beside a long reader after thousands of charges as before', async () => {
  const team = await makeTeam(store.database)
  const [reader, writer] = twoConnections()
  await charge(writer, team)
  await reader.transaction(async (tx) => {
    await tx.run('set transaction isolation level repeatable read', [])
    await tx.run('select count(*) from quota_usage', [])
    const before = await blocksOf(writer, team)
    await writer.run('select consume_quota($1, $2) from generate_series(1, $3::int)', [team.id, 'submissions', CHARGES])
    expect(await blocksOf(writer, team)).toBeLessThan(2 * before)
  })
  expect(await usedOf(team)).toBe(CHARGES + 3)
})

test('writers of one team do not wait for each other while much is left', async () => {
  const team = await makeTeam(store.database)
  // The first charge of the month makes the stripes.
  for (const connection of connections) await charge(connection, team)
  const [first, second] = await differentStripes()
  await first.transaction(async (tx) => {
    await tx.run("select consume_quota($1, 'submissions')", [team.id])
    await second.transaction(async (other) => {
      await other.run("set local lock_timeout = '1s'", [])
      await other.run("select consume_quota($1, 'submissions')", [team.id])
    })
  })
  expect(await usedOf(team)).toBe(CONNECTIONS + 2)
})

test('charges of any size over all connections use exactly the quota, and no more', async () => {
  const team = await makeTeam(store.database)
  await setUsed(store.database, team.id, MAX - 1_000)
  const granted = await Promise.all(
    Array.from({ length: 600 }, (_, number) => charge(connections[number % CONNECTIONS] ?? store.database, team, 1 + (number % 7))),
  )
  expect(granted.reduce((sum, each) => sum + each)).toBe(1_000)
  expect(await usedOf(team)).toBe(MAX)
})

test('of fifty concurrent charges of the last unit exactly one succeeds', async () => {
  for (const used of [MAX - 1, MAX - 9]) {
    const team = await makeTeam(store.database)
    await setUsed(store.database, team.id, used)
    const granted = await Promise.all(
      Array.from({ length: 50 }, (_, number) => charge(connections[number % CONNECTIONS] ?? store.database, team)),
    )
    expect(granted.filter((each) => each === 1)).toHaveLength(MAX - used)
    expect(await usedOf(team)).toBe(MAX)
  }
})

test('after a change of the plan the new quota holds exactly', async () => {
  const team = await makeTeam(store.database)
  await Promise.all(connections.map((connection) => charge(connection, team)))
  await setTeamPlan(store.database, { team_id: team.id, plan: 'free' })
  const free = plans.free.quotas.submissions
  const granted = await Promise.all(
    Array.from({ length: 60 }, (_, number) => charge(connections[number % CONNECTIONS] ?? store.database, team)),
  )
  expect(granted.filter((each) => each === 1)).toHaveLength(free - CONNECTIONS)
  expect(await usedOf(team)).toBe(free)
})

async function charge(on: Database, { id }: Team, units = 1): Promise<number> {
  const [row] = await on.run<{ granted: number }>("select granted from consume_quota($1, 'submissions', $2::int)", [id, units])
  return row?.granted ?? Number.NaN
}

/** How many blocks a charge touches. */
async function blocksOf(on: Database, { id }: Team): Promise<number> {
  const rows = await on.run<{ 'QUERY PLAN': string }>(
    `explain (analyze, buffers, costs off, timing off, summary off) select * from consume_quota('${id}', 'submissions')`,
    [],
  )
  const hit = rows.flatMap((row) => /shared hit=(\d+)/.exec(row['QUERY PLAN'])?.[1] ?? [])
  return Number(hit[0])
}

async function usedOf({ id }: Team): Promise<number | undefined> {
  return (await readUsage(store.database, id)).quotas.find(({ quota }) => quota === 'submissions')?.used
}

function twoConnections(): [Database, Database] {
  const [first, second] = connections
  if (!first || !second) throw new Error('There are two connections')
  return [first, second]
}

/** Two connections that charge different stripes. */
async function differentStripes(): Promise<[Database, Database]> {
  const stripes = await Promise.all(
    connections.map(async (connection) => {
      const [row] = await connection.run<{ stripe: number }>('select pg_backend_pid() % 8 as stripe', [])
      return { connection, stripe: row?.stripe }
    }),
  )
  const [first, second] = stripes.filter(({ stripe }, index) => stripes.findIndex((each) => each.stripe === stripe) === index)
  if (!first || !second) throw new Error('All connections have one stripe')
  return [first.connection, second.connection]
}
