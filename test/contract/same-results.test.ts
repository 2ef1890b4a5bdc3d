import { isDeepStrictEqual } from 'node:util'
import { isEverywhere, type NamedOperation, type Scope, scopes } from '@earshot/contracts'
import { EarshotApiError } from '@earshot/contracts/client'
import type { AppRouter } from '@earshot/contracts/trpc'
import { createTRPCUntypedClient, httpLink, TRPCClientError } from '@trpc/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestDispatcher, type TestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { answerSurvey, approveOne, fillTeam } from './filled-team.ts'
import { operations } from './operations.ts'
import { withoutSecrets } from './recording.ts'
import { emptyPath, makeInput } from './records.ts'
import { sampleInput } from './samples.ts'

// The client of REST and the one of tRPC, over every operation: reads of the same records give the same value; writes, each in a team of
// its own with equal records, the same value but for ids, times and secrets; refusals the same error.

/** Operations that tRPC does not have, by the reason. Uploads of bytes (tus, and `PUT` of an import's file) are no operations. */
const NOT_ON_TRPC = {
  'its response goes on while records are read': ['submissions.export', 'responses.export'],
  'its response has no end': ['events.stream', 'submissions.stream'],
  'it comes before the credential, or ends it': [
    ...['auth.signUp', 'auth.verifyEmail', 'auth.passwordReset.create', 'auth.passwordReset.confirm', 'auth.session.create'],
    ...['auth.session.delete', 'auth.token.create', 'auth.token.refresh', 'auth.token.revoke'],
  ],
  'it is for pages of other sites, with a public key or a token of an upload': [
    ...['public.projects.retrieve', 'public.submissions.create', 'public.uploads.reserve', 'public.uploads.complete'],
    ...['public.drafts.update', 'public.drafts.submit', 'public.items.list', 'public.consent.revoke', 'public.surveys.retrieve'],
    ...['public.responses.create', 'public.widgets.retrieve'],
  ],
}
/** Lists of what the worker writes soon after the request. */
const WRITTEN_LATER: ReadonlySet<string> = new Set(['events.list', 'webhooks.deliveries.list'])
/** Made of chance, or measured. */
const INCOMPARABLE = /^(duration_ms|hint|key|payload_sha256|(previous_)?public_key|secret_hint)$/
const CHANCE = /user-[0-9a-f]{12}|(?:acme-|website-|tag )[0-9a-f]{6,8}/g

let store: TestDatabase
let service: TestService
/** For what waits until something was sent. */
let worker: TestDispatcher
/** Whose records are read and refused. */
let team: Team
const tokensWithout = new Map<Scope, Promise<string>>()
beforeAll(async () => {
  store = await openTestDatabase()
  service = { ...(await startTestService({ database: store.database })), database: store.database }
  worker = await startTestDispatcher({ address: store.address, secretBox: service.secretBox })
  team = await makeTeam(service.database)
  await fillTeam(service, team)
})
afterAll(async () => {
  await worker.stop()
  await service.close()
  await store.close()
})

const carried = operations.filter(({ operation }) => isEverywhere(operation))
const reads = carried.filter(({ operation }) => operation.method === 'GET')
const writes = carried.filter(({ operation }) => operation.method !== 'GET')

type Input = Record<string, unknown>
type Call = (named: NamedOperation, input: Input, token: string) => Promise<unknown>

/** How a call ended. */
type Outcome = { value: unknown } | { status: number; error: object }

const rest: Call = (named, input, token) => {
  let method: unknown = service.client(token)
  // Proven: the client has a method under each name.
  for (const name of named.name.split('.')) method = (method as Record<string, unknown>)[name]
  return (method as (input: Input) => Promise<unknown>)(input)
}

const trpc: Call = ({ name, operation }, input, token) => {
  const client = createTRPCUntypedClient<AppRouter>({
    links: [httpLink({ url: `${service.url}/trpc`, headers: { authorization: `Bearer ${token}` } })],
  })
  return operation.method === 'GET' ? client.query(name, input) : client.mutation(name, input)
}

async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await call }
  } catch (thrown) {
    return refusalOf(thrown)
  }
}

function refusalOf(thrown: unknown): Outcome {
  if (thrown instanceof EarshotApiError) return { status: thrown.status, error: withoutRequestId(thrown.body) }
  // Its cause is what failed, where no response came.
  if (!(thrown instanceof TRPCClientError) || !(thrown.meta?.response instanceof Response)) throw thrown
  return { status: thrown.meta.response.status, error: withoutRequestId(thrown.data) }
}

function withoutRequestId({ request_id, ...error }: { request_id: string }): object {
  expect(request_id).toMatch(/\w/)
  return error
}

describe('every operation is on tRPC, or in the list of those that are not', () => {
  test('the list names each of the others once', () => {
    expect(Object.values(NOT_ON_TRPC).flat().sort()).toEqual(
      operations
        .filter((named) => !carried.includes(named))
        .map(({ name }) => name)
        .sort(),
    )
    expect(carried.length).toBeGreaterThan(110)
  })

  test('tRPC has no procedure for those of the list', async () => {
    for (const named of operations.filter((one) => !carried.includes(one)))
      expect(await outcomeOf(trpc(named, {}, team.token)), named.name).toMatchObject({ status: 404, error: { code: 'not_found' } })
  })
})

describe.each(reads)('$name', (named) => {
  test('reads the same value of the same records', { timeout: 60_000 }, async () => {
    const input = await makeInput(service, team, named)
    if (typeof input.survey_id === 'string') await answerSurvey(service, team, input.survey_id)
    if (named.operation.queryFields.has('limit')) input.limit = 1
    if (named.name === 'webhooks.deliveries.list') await approveOne(service, team)
    let seen: [rest: Outcome, trpc: Outcome] | undefined
    await until(`nothing changes while ${named.name} is read`, async () => {
      const first = await outcomeOf(rest(named, input, team.token))
      const other = await outcomeOf(trpc(named, input, team.token))
      seen = [first, other]
      const { results } = ('value' in first ? first.value : {}) as { results?: unknown[] }
      if (WRITTEN_LATER.has(named.name) && results?.length === 0) return false
      return isDeepStrictEqual(first, await outcomeOf(rest(named, input, team.token)))
    })
    expect(seen?.[0]).toHaveProperty('value')
    expect(seen?.[1]).toEqual(seen?.[0])
  })
})

describe.each(writes)('$name', (named) => {
  test('changes equal records alike, with the same value and the same audit log', { timeout: 60_000 }, async () => {
    const [first, other] = [await changeBy(rest, named), await changeBy(trpc, named)]
    expect(other).toEqual(first)
  })
})

describe.each(carried)('$name', (named) => {
  test('is refused with the same error: without a valid token or its scope, for an unknown record or field', async () => {
    const { operation } = named
    const sample = sampleInput(operation, { ...emptyPath(operation, team), url: 'http://127.0.0.1:9/hooks' })
    const cases: [what: string, input: Input, token: string, statuses: number[]][] = [
      ['an unknown token', sample, `svc_${'0'.repeat(46)}`, [401]],
      ['an unknown field', { ...sample, nobody_knows: 1 }, team.token, [400]],
    ]
    if (operation.scope) cases.push(['no scope', sample, await tokenWithout(operation.scope), [403]])
    if (operation.pathFields.size > 2) cases.push(['unknown records', sample, team.token, [404]])
    for (const [what, input, token, statuses] of cases) {
      const refusal = await outcomeOf(rest(named, input, token))
      expect(refusal, what).toMatchObject({ status: expect.toBeOneOf(statuses), error: { code: expect.any(String) } })
      expect(await outcomeOf(trpc(named, input, token)), what).toEqual(refusal)
    }
  })
})

/** Returns an owner's token with every scope but one. */
function tokenWithout(scope: Scope): Promise<string> {
  const others = scopes.filter((other) => other !== scope)
  const token = tokensWithout.get(scope) ?? team.tokenOf('owner', others)
  tokensWithout.set(scope, token)
  return token
}

/** Changes the records of a new team by one of the clients. */
async function changeBy(call: Call, named: NamedOperation): Promise<{ outcome: unknown; log: unknown }> {
  const own = await makeTeam(service.database)
  const outcome = await outcomeOf(call(named, await makeInput(service, own, named), own.token))
  expect(outcome).toHaveProperty('value')
  const log = await outcomeOf(newestChanges(own))
  return { outcome: comparable(outcome), log: comparable(log) }
}

async function newestChanges({ id: team_id, token }: Team) {
  return (await service.client(token).teams.auditLog.list({ team_id, limit: 3 })).results
}

/** Replaces ids by the number of their first appearance, and times, secrets and what is made of chance by a sign. */
function comparable(outcome: Outcome): unknown {
  const numbers = new Map<string, number>()
  const numberOf = (text: string) => `<${numbers.get(text) ?? numbers.set(text, numbers.size).get(text)}>`
  const text = JSON.stringify(withoutSecrets(outcome), (name, value) => (INCOMPARABLE.test(name) ? null : value))
    .replaceAll(CHANCE, '<chance>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numberOf)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
  return JSON.parse(text)
}
