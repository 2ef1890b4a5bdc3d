import { isEverywhere, type NamedOperation } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { eachAtOnce, eachRequest } from './at-once.ts'
import { callRest, callTrpcWithEach, fill, sourcesOf } from './call.ts'
import { operations } from './operations.ts'
import { makeInput, makePath } from './records.ts'

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT'] as const
const MALFORMED = ['not-an-id', '0', '\0', '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e0', "'; drop table teams; --", '../..']

let service: TestService
let team: Team
let otherTeam: Team
let siblingProject: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  otherTeam = await makeTeam(service.database)
  siblingProject = (await service.client(team.token).projects.create({ team_id: team.id, name: 'Another' })).id
})
afterAll(() => service.close())

for (const named of operations) {
  const { name, operation } = named
  const { path: template, pathFields } = operation

  if (pathFields.size > 0) {
    test(`${name} finds nothing where one id of its path is malformed`, async () => {
      const input = await makeInput(service, team, named)
      const wrong = [...pathFields].flatMap((field) => MALFORMED.map((id) => ({ [field]: id })))
      await expectNothing(named, input, wrong)
    })
  }

  if (pathFields.size > 0 && operation.access === 'credential') {
    test(`${name} finds nothing where one id of its path is another team's`, async () => {
      const input = await makeInput(service, team, named)
      const theirs = await makePath(service, otherTeam, template)
      const wrong = [...pathFields].map((field) => ({ [field]: theirs[field] }))
      await expectNothing(named, input, wrong)
    })
  }

  if (pathFields.has('project_id') && pathFields.size > 2) {
    test(`${name} finds nothing of another project of the team`, async () => {
      const input = await makeInput(service, team, named)
      await expectNothing(named, input, [{ project_id: siblingProject }])
    })
  }

  test(`${name} reports its methods and unknown paths before it authorizes the caller`, async () => {
    const path = await makePath(service, team, template)
    await eachAtOnce(METHODS, async (method) => {
      if (isServed(method, template)) return
      const answer = await service.send(method, fill(template, path))
      expect(answer, `${method} ${template}`).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
      expect(answer.headers.get('allow')?.split(', ')).toContain(operation.method)
    })
    const beyond = await service.send(operation.method, `${fill(template, path)}no-such-thing/at-all/`)
    expect(beyond).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })
}

async function expectNothing(
  named: NamedOperation,
  input: Record<string, unknown>,
  wrong: readonly Record<string, unknown>[],
): Promise<void> {
  const token = named.operation.access !== 'credential' ? undefined : team.token
  const refusals = new Map<Record<string, unknown>, unknown>()
  await eachRequest(named, wrong, async (fields) => {
    const answer = await callRest(service, named, { ...sourcesOf(named, { ...input, ...fields }), token })
    expect(answer, `${named.name} ${JSON.stringify(fields)}`).toMatchObject({ status: 404, body: { code: 'not_found' } })
    // Over tRPC an id is text of a JSON body, where NUL is an error of its own.
    if (!Object.values(fields).includes('\0')) refusals.set({ ...input, ...fields }, { ...answer.body, request_id: null })
  })
  if (!isEverywhere(named.operation)) return
  const results = await callTrpcWithEach(service, named, [...refusals.keys()], { token })
  expect(results.map(({ error }) => ({ ...error?.data, request_id: null }))).toEqual([...refusals.values()])
}

/** Whether any operation of the path has the method. */
function isServed(method: string, template: string): boolean {
  return operations.some(({ operation }) => operation.method === method && operation.path === template)
}
