import { isEverywhere, type NamedOperation, takesKey } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestDispatcher, type TestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { callRest, callTrpc, sourcesOf } from './call.ts'
import { endingOperations } from './operations.ts'
import { makeInput } from './records.ts'
import { createTeams } from './shared-team.ts'

/** Operations whose work is one SQL function, because their rate is measured in the bench. */
const HOT_PATHS = ['public.submissions.create', 'submissions.approve', 'submissions.reject', 'submissions.moderate', 'auth.token.refresh']

/**
 * The budget of reads and of hot paths: authorization and the work. A refresh is counted before it is tried. Other writes
 * are transactions of as many statements as they have steps. Once a minute a credential's use is noted: that is not of the budget.
 */
const MAX_ROUND_TRIPS = { credential: 2, public: 2, account: 3 }

let service: TestService
/** For what waits until something was sent. */
let worker: TestDispatcher
/** One connection, so that it can be asked which statements it prepared. */
let store: TestDatabase
let teamFor: (named: NamedOperation) => Promise<Team>
beforeAll(async () => {
  store = await openTestDatabase({ poolSize: 1 })
  service = { ...(await startTestService({ database: store.database })), database: store.database }
  teamFor = createTeams(store.database)
  worker = await startTestDispatcher({ address: store.address, secretBox: service.secretBox })
})
afterAll(async () => {
  await worker.stop()
  await service.close()
  await store.close()
})

/** Operations whose success ends the caller’s access: the role is checked before the key, so the second call is refused. */
const ENDS_OWN_RIGHT = ['members.transferOwnership']

for (const named of endingOperations) {
  const { name, operation } = named
  const isRead = operation.method === 'GET'
  const isBudgeted = isRead || HOT_PATHS.includes(name)

  test(`${name} succeeds with its status${isBudgeted ? ' within its round trips' : ''}, by prepared statements`, async () => {
    const { token, input } = await prepare(named)
    const sent = store.statements.length
    const answer = await callRest(service, named, { ...sourcesOf(named, input), token })
    // Once a minute a process looks for the keys of JWTs: that is nobody's.
    const statements = store.statements.slice(sent).filter((text) => !text.includes('jwt_keys'))
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: operation.status })
    if (isBudgeted) expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(MAX_ROUND_TRIPS[operation.access])
    expect(await preparedStatements()).toEqual(expect.arrayContaining(statements.filter((text) => isBudgeted || !isBoundary(text))))
    const remaining = answer.headers.get('x-ratelimit-remaining')
    if (operation.counts === 'failures') expect(remaining).toBe(null)
    else expect(remaining).toMatch(/^\d+$/)
    if (operation.status === 204) expect(answer.body).toBeUndefined()
    else expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  })

  if (isRead) {
    test(`${name} answers HEAD like GET, without a body`, async () => {
      const { token, input } = await prepare(named)
      const { path, query } = sourcesOf(named, input)
      const answer = await callRest(service, named, { path, query, token, method: 'HEAD' })
      expect(answer).toMatchObject({ status: 200, body: undefined })
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    })
  }

  if (takesKey(operation)) {
    test(`${name} with an idempotency key is performed once and responds twice the same`, async () => {
      const { token, input } = await prepare(named)
      const call = { ...sourcesOf(named, input, { headers: { 'idempotency-key': `once-${name}` } }), token }
      const first = await callRest(service, named, call)
      const second = await callRest(service, named, call)
      expect(first, JSON.stringify(first.body)).toMatchObject({ status: operation.status })
      if (ENDS_OWN_RIGHT.includes(name)) return expect(second).toMatchObject({ status: 403, body: { code: 'insufficient_role' } })
      expect([second.status, second.body]).toEqual([first.status, first.body])
      expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([null, 'true'])
      expect(second.headers.get('location')).toBe(first.headers.get('location'))
    })
  }
}

for (const named of endingOperations.filter(({ operation }) => isEverywhere(operation))) {
  const isBudgeted = named.operation.method === 'GET' || HOT_PATHS.includes(named.name)

  test(`${named.name} succeeds over tRPC${isBudgeted ? ' within the same round trips' : ''}`, async () => {
    const { token, input } = await prepare(named)
    const sent = store.statements.length
    const answer = await callTrpc(service, named, input, { token })
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { result: expect.anything() } })
    if (isBudgeted) expect(store.statements.length - sent).toBeLessThanOrEqual(MAX_ROUND_TRIPS[named.operation.access])
  })
}

test('every hot path is an operation', () => {
  expect(endingOperations.map(({ name }) => name)).toEqual(expect.arrayContaining(HOT_PATHS))
})

/** Whether a statement begins or ends a transaction. */
function isBoundary(text: string): boolean {
  return text === 'begin' || text === 'commit'
}

/** An input that succeeds, and a token. */
async function prepare(named: NamedOperation) {
  const team = await teamFor(named)
  const input = await makeInput(service, team, named)
  if (named.operation.access !== 'credential') return { input }
  // The first use within a minute is noted, by a statement of its own.
  await store.database.run('update credentials set last_used_at = now() where user_id = $1', [team.ownerId])
  return { input, token: team.token }
}

async function preparedStatements(): Promise<string[]> {
  const rows = await store.database.run<{ statement: string }>('select statement from pg_prepared_statements', [])
  return rows.map(({ statement }) => statement)
}
