import type { NamedOperation } from '@earshot/contracts'
import type { Database, Tx } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestDispatcher, type TestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { callRest, sourcesOf } from './call.ts'
import { endingOperations, operations } from './operations.ts'
import { makeInput, makePath } from './records.ts'
import { createTeams } from './shared-team.ts'

// The team guard compares the team_id of each row: an operation whose rows have none is not guarded by it.

/** Operations that read nothing of an empty project. */
const READS_MANY = /\.(list|counts)$/

/** One whose rows are counts, and one that reads none. */
const UNGUARDED = ['teams.usage', 'events.types.list']

let store: TestDatabase
let service: TestService
let worker: TestDispatcher
let teamFor: (named: NamedOperation) => Promise<Team>
let read: { team_id?: unknown }[] = []

beforeAll(async () => {
  store = await openTestDatabase()
  const tx = watched(store.database)
  const database: Database = { ...store.database, ...tx, patiently: () => tx }
  service = { ...(await startTestService({ database }, { store })), database: store.database }
  teamFor = createTeams(store.database)
  worker = await startTestDispatcher({ address: store.address, secretBox: service.secretBox })
})
afterAll(async () => {
  await worker.stop()
  await service.close()
  await store.close()
})

/** Keeps every row that statements return. */
function watched(tx: Tx): Tx {
  return {
    async run<Row>(text: string, params: readonly unknown[]) {
      const rows = await tx.run<Row>(text, params)
      read.push(...(rows as object[]))
      return rows
    },
    attempt: (work) => tx.attempt((inner) => work(watched(inner))),
    transaction: (work) => tx.transaction((inner) => work(watched(inner))),
  }
}

/** Makes a record of a list, those of deliveries appear a little later; returns the fields of the list's path. */
async function fillList(team: Team, { operation: { path } }: NamedOperation): Promise<Record<string, unknown>> {
  const { id: team_id, token, project, submit } = team
  const create = operations.find(({ operation }) => operation.method === 'POST' && operation.path === path)
  if (create) {
    const input = await makeInput(service, team, create)
    const made = await callRest(service, create, { ...sourcesOf(create, input), token })
    expect(made.status, JSON.stringify(made.body)).toBe(create.operation.status)
    return Object.fromEntries([...create.operation.pathFields].map((name) => [name, input[name]]))
  }
  const { id: webhook_id } = await service.client(token).webhooks.create({ team_id, url: 'http://127.0.0.1:9/hooks', events: ['*'] })
  await submit({ tags: ['launch'] })
  const question = { type: 'nps', ref: 'nps', title: 'How likely are you to recommend us?' } as const
  if (path.includes('/surveys/')) await service.client(token).surveys.create({ ...project, name: 'Launch', questions: [question] })
  if (path.includes('/privacy/')) await service.client(token).privacy.erase({ team_id, email: 'nobody@example.com' })
  return { ...project, ...(path.includes('{import_id}') && (await makePath(service, team, path))), webhook_id }
}

for (const named of endingOperations.filter(({ operation: { pathFields, status } }) => pathFields.has('team_id') && status !== 204)) {
  test(`${named.name} reads rows that say whose they are`, async () => {
    const readsMany = READS_MANY.test(named.name) && !UNGUARDED.includes(named.name)
    const team = readsMany ? await makeTeam(store.database) : await teamFor(named)
    const input = readsMany ? await fillList(team, named) : await makeInput(service, team, named)
    const owners = async () => {
      read = []
      const answer = await callRest(service, named, { ...sourcesOf(named, input), token: team.token })
      expect(answer.status, JSON.stringify(answer.body)).toBe(named.operation.status)
      // The row of the authorization is compared with the path.
      const rows = read.filter((row) => !('origin_allowed' in row))
      return [...new Set(rows.flatMap(({ team_id }) => (typeof team_id === 'string' ? [team_id] : [])))]
    }
    if (UNGUARDED.includes(named.name)) expect(await owners()).toEqual([])
    else if (readsMany) await expect.poll(owners).toEqual([team.id])
    else expect(await owners()).toEqual([team.id])
  })
}
