import { randomUUID } from 'node:crypto'
import { isEverywhere, type NamedOperation, Plan, planIncludes, plans, type Role, roleSuffices, roles, scopes } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, makeTokenOf, makeUser, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { eachAtOnce } from './at-once.ts'
import { callRest, callTrpc, sourcesOf } from './call.ts'
import { bodyOperations, closedOperations } from './operations.ts'
import { emptyPath } from './records.ts'
import { sampleInput } from './samples.ts'

let service: TestService
let team: Team
let freeToken: string
let freeTeam: Team
let strangersToken: string
const poorTeams = new Map<Plan, Team>()
const roleTokens = new Map<Role, string>()
const tokensWithout = new Map<string, string>()
const deadTokens: { what: string; token: string; code: string }[] = []

beforeAll(async () => {
  service = await startTestService()
  const { database } = service
  team = await makeTeam(database)
  freeTeam = await makeTeam(database, { plan: 'free' })
  freeToken = await freeTeam.tokenOf('owner', [])
  strangersToken = await makeTokenOf(database, await makeUser(database), [])
  for (const role of roles) roleTokens.set(role, await team.tokenOf(role))
  for (const scope of neededScopes()) {
    const others = scopes.filter((other) => other !== scope)
    tokensWithout.set(scope, await team.tokenOf('viewer', others))
  }
  deadTokens.push(
    { what: 'malformed', token: 'svc_tooshort', code: 'invalid_token' },
    { what: 'foreign', token: 'ghp_0123456789abcdefghijABCDEFGHIJ', code: 'invalid_token' },
    { what: 'unknown', token: `svc_${'0'.repeat(46)}`, code: 'invalid_token' },
    { what: 'deleted', token: await endedToken('revoked_at = now()'), code: 'invalid_token' },
    { what: 'expired', token: await endedToken("expires_at = now() - interval '1 second'"), code: 'token_expired' },
  )
})
afterAll(() => service.close())

for (const named of closedOperations) {
  const { name, operation } = named
  const { scope, withoutApiAccess, role, feature, pathFields } = operation

  test(`${name} refuses a caller without a working credential before it reads anything else`, async () => {
    await eachAtOnce([{ code: 'not_authenticated' }, ...deadTokens], ({ code, ...caller }) =>
      expectRefusal(named, caller, { status: 401, code }),
    )
  })

  if (withoutApiAccess) {
    test(`${name} asks only for a scope of callers without a team or without API access`, async () => {
      const refusal = { status: 403, code: 'insufficient_scope', required_scope: scope }
      await eachAtOnce([freeToken, strangersToken], (token) => expectRefusal(named, { token, of: freeTeam }, refusal))
    })
  } else {
    test(`${name} refuses a team whose plan has no API access, whatever the scopes`, async () => {
      await expectRefusal(named, { token: freeToken, of: freeTeam }, { status: 403, code: 'plan_without_api_access' })
    })
  }

  if (pathFields.has('team_id')) {
    test(`${name} does not reveal to a stranger that the team exists`, async () => {
      await expectRefusal(named, { token: strangersToken }, { status: 404, code: 'not_found' })
    })
  }

  if (scope) {
    test(`${name} refuses a credential with every scope but its own, before it looks at the role`, async () => {
      await expectRefusal(named, { token: tokensWithout.get(scope) }, { status: 403, code: 'insufficient_scope', required_scope: scope })
    })
  }

  for (const lesser of roles.filter((other) => role && !roleSuffices(other, role))) {
    test(`${name} refuses a ${lesser} with every scope`, async () => {
      const refusal = { status: 403, code: 'insufficient_role', required_role: role }
      await expectRefusal(named, { token: roleTokens.get(lesser) }, refusal)
    })
  }

  for (const plan of Plan.options.filter((one) => feature && plans[one].apiAccess && !planIncludes(one, feature))) {
    test(`${name} refuses the plan ${plan}, which lacks ${feature}`, async () => {
      const poorTeam = poorTeams.get(plan) ?? (await makeTeam(service.database, { plan }))
      poorTeams.set(plan, poorTeam)
      const path = emptyPath(operation, poorTeam)
      const answer = await callRest(service, named, { ...sourcesOf(named, sampleInput(operation, path)), path, token: poorTeam.token })
      expect(answer).toMatchObject({ status: 402, body: { code: 'feature_not_in_plan', feature, plan } })
    })
  }
}

interface Caller {
  token?: string | undefined
  of?: Team
}

/**
 * Asks for records that are not there, with a query nobody knows and a body that is neither JSON nor said to be: the
 * refusal must come first all the same. tRPC must refuse with the same body.
 */
async function expectRefusal(
  named: NamedOperation,
  { token, of = team }: Caller,
  refusal: { status: number; code: string; required_scope?: string | undefined; required_role?: string | undefined },
) {
  const { status, ...fields } = refusal
  const path = emptyPath(named.operation, of)
  if ('project_id' in path) path.project_id = randomUUID()
  const isWithBody = bodyOperations.includes(named)
  const answer = await callRest(service, named, {
    path,
    token,
    query: new URLSearchParams({ nobody_knows: '1' }),
    ...(isWithBody && { body: '{"cut', headers: { 'content-type': 'text/plain' } }),
  })
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status, body: { ...fields, detail: expect.any(String) } })
  expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'))
  expect(answer.headers.get('www-authenticate')).toBe(challengeOf(refusal))

  if (!isEverywhere(named.operation)) return
  const trpc = await callTrpc(service, named, { ...path, nobody_knows: 1 }, { token })
  expect(trpc.status).toBe(status)
  expect({ ...trpc.body.error.data, request_id: null }).toEqual({ ...answer.body, request_id: null })
}

/** What RFC 6750 §3.1 asks for. */
function challengeOf({
  status,
  code,
  required_scope,
}: {
  status: number
  code: string
  required_scope?: string | undefined
}): string | null {
  if (code === 'insufficient_scope') return `Bearer error="insufficient_scope", scope="${required_scope}"`
  if (status !== 401) return null
  return code === 'not_authenticated' ? 'Bearer' : 'Bearer error="invalid_token"'
}

function neededScopes(): Set<string> {
  return new Set(closedOperations.flatMap(({ operation: { scope } }) => scope ?? []))
}

/** A token of the owner that is over: `change` says how. */
async function endedToken(change: string): Promise<string> {
  const user = await makeUser(service.database)
  const token = await makeTokenOf(service.database, user, scopes)
  await service.database.run(`update credentials set ${change} where user_id = $1`, [user.id])
  return token
}
