import type { NamedOperation } from '@earshot/contracts'
import { openTeamDatabase, type TeamDatabase } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestDispatcher, type TestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { callRest, sourcesOf } from './call.ts'
import { endingOperations } from './operations.ts'
import { makeInput } from './records.ts'
import { createTeams } from './shared-team.ts'

/** Their authorization is all that they read. */
const WITHOUT_ROWS = ['events.types.list']

let service: TestService
let worker: TestDispatcher
let bound: TeamDatabase
let teamFor: (named: NamedOperation) => Promise<Team>
let one: Team
let other: Team
let sent = 0
beforeAll(async () => {
  // The address of the service's database is known only once it is there.
  service = await startTestService({ teamDatabase: { forTeam: (id) => bound.forTeam(id), close: async () => {} } })
  worker = await startTestDispatcher(service)
  bound = openTeamDatabase({
    address: service.address,
    poolSize: 1,
    applicationName: 'earshot test bound',
    onStatement: () => {
      sent += 1
    },
  })
  teamFor = createTeams(service.database)
  one = await makeTeam(service.database)
  other = await makeTeam(service.database)
})
afterAll(async () => {
  await worker.stop()
  await bound.close()
  await service.close()
})

for (const named of endingOperations.filter(({ operation }) => operation.pathFields.has('team_id') || operation.access === 'public')) {
  test(`${named.name} succeeds as a role that sees only its own team`, async () => {
    const before = sent
    expect(await call(named)).toMatchObject({ status: named.operation.status })
    if (!WITHOUT_ROWS.includes(named.name)) expect(sent).toBeGreaterThan(before)
  })

  if (named.operation.method === 'POST') {
    test(`${named.name} succeeds as that role with an idempotency key too`, async () => {
      expect(await call(named, { 'idempotency-key': `bound-${named.name}` })).toMatchObject({ status: named.operation.status })
    })
  }
}

test('a statement without its team condition reads no other team’s rows, in any table of a team', async () => {
  for (const team of [one, other]) {
    const { id } = await team.submit({ tags: ['a'] })
    const client = service.client(team.token)
    await client.webhooks.create({ team_id: team.id, url: 'http://127.0.0.1:9/', events: ['*'] })
    await client.submissions.approve({ ...team.project, submission_id: id })
  }
  for (const table of await tablesOfTeams()) {
    const mine = await bound.forTeam(one.id).run<{ team_id: string }>(`select distinct team_id from ${table}`, [])
    expect([one.id], table).toEqual(expect.arrayContaining(mine.map(({ team_id }) => team_id)))
  }
  const seen = await bound.forTeam(one.id).run<{ team_id: string }>('select team_id from submissions', [])
  expect(seen.map(({ team_id }) => team_id)).toEqual([one.id])
  expect(await bound.forTeam(one.id).run('select id from teams', [])).toEqual([{ id: one.id }])
})

test('a partition cannot be read by its own name, past the policies of its table', async () => {
  const [partition] = await service.database.run<{ name: string }>(
    "select relname as name from pg_class where relispartition and relkind = 'r' limit 1",
    [],
  )
  await expect(bound.forTeam(one.id).run(`select team_id from ${partition?.name}`, [])).rejects.toThrow('permission denied')
})

test('a statement that names another team changes nothing there', async () => {
  const mine = bound.forTeam(one.id)
  expect(await mine.run('update projects set name = name where team_id = $1 returning id', [other.id])).toEqual([])
  expect(await mine.run('delete from submissions where team_id = $1 returning id', [other.id])).toEqual([])
  const insert = "insert into quota_usage (team_id, quota, period, used) values ($1, 'submissions', '2020-01-01', 1)"
  await expect(mine.run(insert, [other.id])).rejects.toThrow('row-level security')
  await expect(mine.transaction((tx) => tx.run(insert, [other.id]))).rejects.toThrow('row-level security')
})

test('teams that take turns on one connection never see each other’s rows', async () => {
  const owners = Array.from({ length: 40 }, (_, index) => (index % 2 ? one : other))
  const seen = await Promise.all(
    owners.map(({ id }, index) => {
      const executor = bound.forTeam(id)
      const read = 'select distinct team_id from projects'
      return index % 4 < 2
        ? executor.run<{ team_id: string }>(read, [])
        : executor.transaction((tx) => tx.run<{ team_id: string }>(read, []))
    }),
  )
  expect(seen.map((rows) => rows.map(({ team_id }) => team_id))).toEqual(owners.map(({ id }) => [id]))
})

async function call(named: NamedOperation, headers: Record<string, string> = {}) {
  const team = await teamFor(named)
  const input = await makeInput(service, team, named)
  return callRest(service, named, {
    ...sourcesOf(named, input, { headers }),
    token: named.operation.access === 'public' ? undefined : team.token,
  })
}

async function tablesOfTeams(): Promise<string[]> {
  const rows = await service.database.run<{ name: string }>(
    `select c.relname as name
       from pg_attribute a
       join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition
      where c.relnamespace = 'public'::regnamespace and a.attname = 'team_id'
      order by 1`,
    [],
  )
  expect(rows.length).toBeGreaterThan(10)
  return rows.map(({ name }) => name)
}
