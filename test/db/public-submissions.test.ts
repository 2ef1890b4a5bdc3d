import { createHash, randomBytes } from 'node:crypto'
import { type Database, openDatabase, type Reception, receiveSubmission } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'

const ADDRESSES = 8
const CALLS = 60
const GENEROUS = { max: 1_000_000, windowSeconds: 3600 }
const REPLICA = { role: 'earshot_worker', poolSize: 4, applicationName: 'earshot test replica', statementTimeoutMs: 20_000 } as const

let store: TestDatabase
let replicas: Database[]
beforeAll(async () => {
  store = await openTestDatabase()
  replicas = [1, 2].map(() => openDatabase({ ...REPLICA, address: store.address }))
})
// Backends report their deadlocks at the latest when they end.
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()))
  const [found] = await store.database.run('select deadlocks::int from pg_stat_database where datname = current_database()', [])
  await store.close()
  expect(found).toEqual({ deadlocks: 0 })
})

test.for([1, 20])('eight addresses that write to %i teams through two replicas are all stored', async (teamCount) => {
  const teams = await makeTeams(teamCount)
  const calls = await callAll(({ number, address }) => ({ team: teamAt(teams, number), address, limit: GENEROUS }))
  expect(calls.every(({ refusal, is_repeat }) => refusal === undefined && !is_repeat)).toBe(true)
  for (const team of teams) {
    const ids = calls.flatMap((call) => (call.team_id === team.id ? [call.id] : [])).sort()
    expect(await idsOf(team)).toEqual(ids)
    expect(await countsOf(team)).toEqual({ events: ids.length, used: ids.length })
  }
})

test('each address gets exactly as many as its limit, in the order of a count, and one violation is recorded', async () => {
  const teams = await makeTeams(3)
  const limit = { max: 25, windowSeconds: 3600 }
  const calls = await callAll(({ number, address }) => ({ team: teamAt(teams, number), address: `limited ${address}`, limit }))
  for (let address = 0; address < ADDRESSES; address += 1) {
    const own = calls.filter((call) => call.address === `limited ${address}`)
    const used = own.flatMap((call) => (call.used === null ? [] : [call.used]))
    expect(used.sort((a, b) => a - b)).toEqual(Array.from({ length: limit.max }, (_, index) => index + 1))
    expect(own.filter(({ id }) => id !== null)).toHaveLength(limit.max)
    expect(own.filter(({ blocked_seconds }) => blocked_seconds !== null)).toEqual([])
  }
  const blocks = await store.database.run(
    "select cardinality(violations) as violations from abuse_blocks where address like 'limited%'",
    [],
  )
  expect(blocks).toEqual(Array.from({ length: ADDRESSES }, () => ({ violations: 1 })))
  const stored = await Promise.all(teams.map(idsOf))
  expect(stored.flat().sort()).toEqual(calls.flatMap(({ id }) => (id === null ? [] : [id])).sort())
})

test.for([
  [1, 1],
  [1, 7],
  [20, 3],
])('with %i teams of %i units left each, exactly those are used and the others store nothing', async ([teamCount = 1, left = 1]) => {
  const teams = await makeTeams(teamCount)
  const max = await leaveUnits(teams, left)
  const calls = await callAll(({ number, address }) => ({ team: teamAt(teams, number), address, limit: GENEROUS }))
  for (const team of teams) {
    const own = calls.filter((call) => call.team_id === team.id)
    const stored = own.filter(({ refusal }) => refusal === undefined).map(({ id }) => id)
    expect(stored).toHaveLength(left)
    expect(await idsOf(team)).toEqual(stored.sort())
    expect(await countsOf(team)).toEqual({ events: left, used: max })
    for (const { refusal } of own) {
      if (!refusal) continue
      expect(refusal).toMatchObject({ code: 'quota_exceeded', fields: { quota: 'submissions', limit: max, used: max } })
    }
    expect(await store.database.run('select from visitor_fingerprints where team_id = $1', [team.id])).toHaveLength(left)
  }
})

test('a team whose quota is used up takes nothing from the others of its batches', async () => {
  const teams = await makeTeams(2)
  const max = await leaveUnits(teams.slice(0, 1), 0)
  const calls = await callAll(({ number, address }) => ({ team: teamAt(teams, number), address, limit: GENEROUS }))
  const [used, free] = [teamAt(teams, 0), teamAt(teams, 1)]
  const storedOf = ({ id }: Team) => calls.filter(({ team_id, refusal }) => team_id === id && !refusal).map((call) => call.id)
  expect(storedOf(used)).toEqual([])
  expect(await countsOf(used)).toEqual({ events: 0, used: max })
  expect(storedOf(free)).toHaveLength((ADDRESSES * CALLS) / 2)
  expect(await idsOf(free)).toEqual(storedOf(free).sort())
  expect(await countsOf(free)).toEqual({ events: (ADDRESSES * CALLS) / 2, used: (ADDRESSES * CALLS) / 2 })
})

test('the same words from many callers at once are stored once, and all get the same id', async () => {
  const teams = await makeTeams(2)
  const calls = await callAll(({ number, address }) => {
    const words = number % 6
    return { team: teamAt(teams, words), address, limit: GENEROUS, fingerprint: createHash('sha256').update(`words ${words}`).digest() }
  })
  const ids = new Set(calls.map(({ id }) => id))
  expect(ids.size).toBe(6)
  expect(calls.filter(({ is_repeat }) => !is_repeat)).toHaveLength(6)
  expect((await Promise.all(teams.map(idsOf))).flat().sort()).toEqual([...ids].sort())
})

test('the same words beyond the quota are refused for every caller', async () => {
  const teams = await makeTeams(1)
  const max = await leaveUnits(teams, 0)
  const fingerprint = randomBytes(32)
  const calls = await callAll(({ address }) => ({ team: teamAt(teams, 0), address, limit: GENEROUS, fingerprint }))
  expect(new Set(calls.map(({ refusal }) => JSON.stringify(refusal?.fields)))).toEqual(
    new Set([JSON.stringify({ quota: 'submissions', limit: max, used: max, resets_at: calls[0]?.refusal?.fields?.resets_at })]),
  )
  expect(await idsOf(teamAt(teams, 0))).toEqual([])
})

test('submissions that come soon after another are stored together, and counted with it when each address occurs once', async () => {
  const [team] = await makeTeams(1)
  const [replica] = replicas
  if (!team || !replica) throw new Error('There is a team and a replica')
  const send = (address: string) => receive(replica, { team, address, limit: GENEROUS, fingerprint: randomBytes(32) })
  const sendTogether = async (...addresses: string[]) => {
    await send('before')
    const ids = (await Promise.all(addresses.map(send))).map(({ id }) => id)
    const subjects = addresses.map((address) => `test:${address}`)
    const writers = (of: string, values: unknown) => store.database.run<{ xmin: string }>(`select distinct xmin::text from ${of}`, [values])
    return {
      storing: await writers('submissions where id = any ($1::uuid[])', ids),
      counting: await writers('rate_windows where subject = any ($1::text[])', subjects),
    }
  }
  const distinct = await sendTogether('second', 'third')
  expect(distinct.storing).toHaveLength(1)
  expect(distinct.counting).toEqual(distinct.storing)
  const repeated = await sendTogether('fourth', 'fourth')
  expect(repeated.storing).toHaveLength(1)
  expect(repeated.counting).toHaveLength(1)
  expect(repeated.counting).not.toEqual(repeated.storing)
})

test('submissions that wait to be stored together lock no counter', async () => {
  const [team] = await makeTeams(1)
  const [first, second] = replicas
  if (!team || !first || !second) throw new Error('There are a team and two replicas')
  const leave = (replica: Database, address: string, fingerprint = randomBytes(32)) =>
    receive(replica, { team, address, limit: GENEROUS, fingerprint })
  const words = randomBytes(32)
  await leave(first, 'an address', words)
  const { together } = await store.database.transaction(async (tx) => {
    await tx.run('select from visitor_fingerprints where fingerprint = $1 for update', [words])
    // One is under way alone: the others wait, and go together.
    const together = ['a', 'a counter', 'a counter'].map((address, number) => leave(first, address, number < 1 ? undefined : words))
    await until('they wait', async () => {
      const waiting = 'select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted'
      return (await second.run(waiting, [])).length > 0
    })
    expect(await leave(second, 'a counter')).toMatchObject({ used: 3, is_repeat: false })
    return { together }
  })
  // The one under way had words of its own; the others repeat the first.
  expect((await Promise.all(together)).map(({ is_repeat }) => is_repeat)).toEqual([false, true, true])
})

test('one submission that cannot be stored spoils no other of its batch, and none is counted twice', async () => {
  const [team] = await makeTeams(1)
  const [replica] = replicas
  if (!team || !replica) throw new Error('There are a team and a replica')
  const call = { team, limit: GENEROUS }
  const results = await Promise.allSettled(
    ['a', 'b', 'a batch', 'a batch', 'a batch'].map((address, number) =>
      receive(replica, { ...call, address, fingerprint: randomBytes(32) }, number === 3 ? { rating: 99 } : {}),
    ),
  )
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(await idsOf(team)).toHaveLength(4)
  expect(await replica.run("select used from rate_windows where subject = 'test:a batch'", [])).toEqual([{ used: 3 }])
})

interface Call {
  team: Team
  address: string
  limit: { max: number; windowSeconds: number }
  fingerprint?: Buffer
}

/** Sends the calls of all addresses at once, through both replicas in turn. */
function callAll(callOf: (at: { number: number; address: string }) => Call): Promise<(Reception & { address: string })[]> {
  return Promise.all(
    Array.from({ length: ADDRESSES * CALLS }, async (_, number) => {
      const { team, address, limit, fingerprint = randomBytes(32) } = callOf({ number, address: String(number % ADDRESSES) })
      const replica = replicas[Math.floor(number / ADDRESSES) % replicas.length]
      if (!replica) throw new Error('There are two replicas')
      return { ...(await receive(replica, { team, address, limit, fingerprint })), address }
    }),
  )
}

function receive(replica: Database, { team, address, limit, fingerprint }: Required<Call>, fields = {}): Promise<Reception> {
  return receiveSubmission(replica, {
    publicAccess: { publicKey: team.publicKey, subject: `test:${address}`, address, limit },
    fields: { kind: 'text', channel: 'public', body: 'Lovely', author_name: 'Ada', consent_granted: true, ...fields },
    revokeTokenHash: randomBytes(32),
    fingerprint,
  })
}

function makeTeams(count: number): Promise<Team[]> {
  return Promise.all(Array.from({ length: count }, () => makeTeam(store.database)))
}

function teamAt(teams: readonly Team[], number: number): Team {
  const team = teams[number % teams.length]
  if (!team) throw new Error('There is at least one team')
  return team
}

/** Returns the quota's maximum. */
async function leaveUnits(teams: readonly Team[], left: number): Promise<number> {
  const rows = await store.database.run<{ used: number }>(
    `insert into quota_usage (team_id, quota, period, used)
     select t.id, 'submissions', date_trunc('month', now() at time zone 'UTC'), (p.quotas ->> 'submissions')::int - $2::int
       from teams t
       join plans p on p.name = t.plan
      where t.id = any ($1::uuid[])
     returning used`,
    [teams.map(({ id }) => id), left],
  )
  return (rows[0]?.used ?? Number.NaN) + left
}

async function idsOf({ id }: Team): Promise<string[]> {
  const rows = await store.database.run<{ id: string }>('select id from submissions where team_id = $1', [id])
  return rows.map((row) => row.id).sort()
}

async function countsOf({ id }: Team) {
  const [row] = await store.database.run(
    `select (select count(*)::int from events where team_id = $1 and type = 'submission.created') as events,
            (select sum(used)::int from quota_usage where team_id = $1 and quota = 'submissions') as used`,
    [id],
  )
  return row
}
