import { contracts, hintsOf, isEverywhere, listOperations, roleSuffices, scopes } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contentOf } from '../contract/content.ts'
import { emptyPath } from '../contract/records.ts'
import { sampleInput } from '../contract/samples.ts'
import { beginPageSession, loginAs } from '../support/credentials.ts'
import { callTool, message, post } from '../support/mcp.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

const operations = listOperations(contracts).filter(({ operation }) => isEverywhere(operation))
const selectAll = { 'x-mcp-toolsets': 'all', 'x-mcp-tools': operations.map(({ operationId }) => operationId).join(',') }

function errorOf({ body }: { body: { result?: { isError?: boolean; content: { text: string }[] } } }) {
  return body.result?.isError ? JSON.parse(body.result.content[0]?.text ?? '') : null
}

function argumentsOf(named: (typeof operations)[number], path: Record<string, string>) {
  return sampleInput(named.operation, { ...path, url: 'http://127.0.0.1:9/hooks', email: 'grace@example.com' })
}

test('no tool is listed for a token without its scope; called anyway, it refuses with the error of REST and changes nothing', {
  timeout: 120_000,
}, async () => {
  const tokens = new Map<string, string>()
  for (const scope of scopes)
    tokens.set(
      scope,
      await team.tokenOf(
        'owner',
        scopes.filter((other) => other !== scope),
      ),
    )
  const before = await contentOf(service)
  const wrong: string[] = []
  for (const [scope, token] of tokens) {
    const { body } = await post(service, message('tools/list'), { token, headers: selectAll })
    const listed: string[] = body.result.tools.map(({ name }: { name: string }) => name)
    const allowed = operations.filter(({ operation }) => operation.scope !== scope).map(({ operationId }) => operationId)
    expect(listed, scope).toEqual(allowed)
  }
  for (const named of operations) {
    const { scope } = named.operation
    if (!scope) continue
    const args = argumentsOf(named, emptyPath(named.operation, team))
    const answer = await callTool(service, named.operationId, args, { token: tokens.get(scope) ?? '', headers: selectAll })
    const error = errorOf(answer)
    if (answer.status !== 200 || error?.code !== 'insufficient_scope' || error.required_scope !== scope) {
      wrong.push(`${named.operationId}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
  }
  expect(wrong).toEqual([])
  expect(await contentOf(service)).toEqual(before)
})

test('every tool refuses a role that is too low, and a team of others', { timeout: 120_000 }, async () => {
  const token = await team.tokenOf('viewer')
  const other = await makeTeam(service.database)
  const wrong: string[] = []
  for (const named of operations) {
    const { role, pathFields } = named.operation
    if (!pathFields.has('team_id')) continue
    const call = async (path: Record<string, string>, code: string) => {
      const error = errorOf(await callTool(service, named.operationId, argumentsOf(named, path), { token, headers: selectAll }))
      if (error?.code !== code) wrong.push(`${named.operationId}: ${JSON.stringify(error)} instead of ${code}`)
    }
    if (role && !roleSuffices('viewer', role)) await call(emptyPath(named.operation, team), 'insufficient_role')
    await call(emptyPath(named.operation, other), 'not_found')
  }
  expect(wrong).toEqual([])
})

test('every operation with a credential is a tool with hints', () => {
  expect(operations.length).toBeGreaterThan(110)
  for (const { operation } of operations)
    if (operation.method === 'GET') expect(hintsOf(operation)).toMatchObject({ destructive: false, idempotent: true })
})

test('a personal access token and a login are credentials; a session of a browser is none', async () => {
  const list = message('tools/list')
  expect(await post(service, list, { token: team.token })).toMatchObject({ status: 200, body: { result: { tools: expect.any(Array) } } })
  const { token = '' } = await loginAs(service, team.ownerId)
  expect(await post(service, list, { token })).toMatchObject({ status: 200, body: { result: {} } })
  const headers = await beginPageSession(service, team.ownerId)
  expect(await post(service, list, { headers })).toMatchObject({ status: 401, body: { error: { data: { code: 'not_authenticated' } } } })
})

test.each([
  ['no credential', undefined, 'not_authenticated'],
  ['a malformed token', 'svc_tooshort', 'invalid_token'],
])('%s is a 401 of HTTP, for a call and for anything else', async (_what, token, code) => {
  for (const body of [
    message('tools/list'),
    message('initialize'),
    message('tools/call', { name: 'me_retrieve' }),
    message('tools/call', { name: 'no_such_tool' }),
    message('nonsense'),
    [],
  ]) {
    const answer = await post(service, body, { ...(token !== undefined && { token }) })
    expect(answer).toMatchObject({ status: 401, body: { jsonrpc: '2.0', error: { data: { code } } } })
    expect(answer.headers.get('www-authenticate')).toContain('Bearer')
  }
})

test('each request counts once, against the limit of REST, and a model reads that it is reached', async () => {
  const limited = await startTestService({ rateLimitMultiplier: 0.004 })
  const { token, id } = await makeTeam(limited.database)
  const remaining = async (body: object) => {
    const answer = await post(limited, body, { token })
    return { ...answer, remaining: answer.headers.get('x-ratelimit-remaining') }
  }
  expect(await remaining(message('tools/list'))).toMatchObject({ remaining: '3' })
  expect(await remaining(message('tools/call', { name: 'projects_list', arguments: { team_id: id } }))).toMatchObject({ remaining: '2' })
  // Larger than what is read without being counted first.
  const large = { team_id: id, cursor: 'x'.repeat(10_000) }
  expect(await remaining(message('tools/call', { name: 'projects_list', arguments: large }))).toMatchObject({ status: 200 })
  expect(await limited.send('GET', '/api/v1/me/', { token })).toMatchObject({ status: 200 })
  const last = await remaining(message('tools/call', { name: 'projects_list', arguments: { team_id: id } }))
  expect(errorOf(last)).toMatchObject({ code: 'rate_limited', status: 429, retry_after: expect.any(Number) })
  expect(last.headers.get('retry-after')).toBeTruthy()
  expect(await remaining(message('tools/list'))).toMatchObject({ status: 429, body: { error: { data: { code: 'rate_limited' } } } })
  await limited.close()
})

test('a call sends the statements of the same request over REST: one authorization, one for the work', async () => {
  const store = await openTestDatabase()
  const own = { ...(await startTestService({ database: store.database })), database: store.database }
  const { token, id } = await makeTeam(store.database)
  const statementsOf = async (send: () => Promise<unknown>) => {
    const before = store.statements.length
    await send()
    return store.statements.slice(before)
  }
  const overRest = () => own.send('GET', `/api/v1/teams/${id}/projects/`, { token })
  const overMcp = () => callTool(own, 'projects_list', { team_id: id }, { token })
  await overRest()
  const [rest, mcp] = [await statementsOf(overRest), await statementsOf(overMcp)]
  await own.close()
  await store.close()
  expect([rest.length, mcp]).toEqual([2, rest])
})

test('what a call changes is in the audit log, and a key makes it once', async () => {
  const key = { 'idempotency-key': 'agent-1' }
  const args = { team_id: team.id, name: 'From an agent' }
  const headers = { ...key, 'x-mcp-toolsets': 'projects' }
  const [first, again] = [
    await callTool(service, 'projects_create', args, { token: team.token, headers }),
    await callTool(service, 'projects_create', args, { token: team.token, headers }),
  ]
  expect(again.body.result.structuredContent).toEqual(first.body.result.structuredContent)
  const log = await service.send('GET', `/api/v1/teams/${team.id}/audit-log/`, { token: team.token })
  const created = log.body.results.filter(
    (entry: { action: string; target: { id: string } }) => entry.target.id === first.body.result.structuredContent.id,
  )
  expect(created).toMatchObject([{ action: 'project.created', actor: { id: team.ownerId }, credential: { kind: 'pat' } }])
})
