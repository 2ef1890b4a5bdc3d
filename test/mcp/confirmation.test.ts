import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../support/mcp.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

type Reply = { action: 'accept'; content: Record<string, boolean> } | { action: 'decline' | 'cancel' }

/** Deletes a submission as a client whose person gives this answer. Returns the questions that the person saw. */
async function deleteAs(reply: Reply | null, era: 'modern' | 'legacy' = 'modern', token = team.token) {
  const { id } = await team.submit()
  const questions: string[] = []
  const client = await connect(service, {
    token,
    era,
    headers: { 'x-mcp-toolsets': 'submissions' },
    ...(reply && {
      capabilities: { elicitation: {} },
      prepare: (connecting) =>
        connecting.setRequestHandler('elicitation/create', ({ params }) => {
          questions.push(params.message)
          return reply
        }),
    }),
  })
  const result = await client.callTool({ name: 'submissions_delete', arguments: { ...team.project, submission_id: id } })
  await client.close()
  const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/${id}/`
  const { status } = await service.send('GET', path, { token: team.token })
  return { id, questions, result, isDeleted: status === 404 }
}

test('a person who can be asked is asked before something is deleted, and then it is', async () => {
  const { id, questions, result, isDeleted } = await deleteAs({ action: 'accept', content: { confirm: true } })
  expect(questions).toEqual([expect.stringMatching(new RegExp(`^Delete .+ This cannot be undone\\. .*${id}`))])
  expect(result.isError ?? false).toBe(false)
  expect(isDeleted).toBe(true)
})

test.each<[string, Reply]>([
  ['declines', { action: 'decline' }],
  ['closes the question', { action: 'cancel' }],
  ['leaves the box empty', { action: 'accept', content: { confirm: false } }],
])('a person who %s ends the call', async (_what, reply) => {
  const { questions, result, isDeleted } = await deleteAs(reply)
  expect(questions).toHaveLength(1)
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('did not agree') }] })
  expect(isDeleted).toBe(false)
})

test('nobody is asked about a call that is refused anyway', async () => {
  const { questions, result } = await deleteAs({ action: 'accept', content: { confirm: true } }, 'modern', await team.tokenOf('viewer'))
  expect(questions).toEqual([])
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('insufficient_role') }] })
})

test.each([
  ['modern', null],
  ['legacy', null],
  ['legacy', { action: 'decline' }],
] as const)('a client of the %s era that cannot be asked has the hint alone: %o', async (era, reply) => {
  const { questions, isDeleted } = await deleteAs(reply, era)
  expect(questions).toEqual([])
  expect(isDeleted).toBe(true)
})
