import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../src/people.ts'
import { startTestService, type TestService } from '../src/test-service.ts'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test("a visitor's words arrive pending and are not public", async () => {
  const answer = await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, {
    body: { body: 'Lovely', author: { name: 'Ada', email: 'ada@example.com' }, consent: { granted: true }, rating: 5 },
  })
  expect(answer).toMatchObject({ status: 201, body: { state: 'pending', revoke_token: expect.stringMatching(/^rvk_/) } })
  const items = await service.send('GET', `/api/public/v1/projects/${team.publicKey}/items/`)
  expect(items).toMatchObject({ status: 200, body: { results: [], next_cursor: null, aggregate: { count: 0, average_rating: null } } })

  const client = service.client(team.token)
  const approved = await client.submissions.approve({ ...team.project, submission_id: answer.body.id })
  expect(approved).toMatchObject({ state: 'approved', public: true })
  const after = await service.send('GET', `/api/public/v1/projects/${team.publicKey}/items/`)
  expect(after.body).toMatchObject({ results: [{ id: answer.body.id, author: { name: 'Ada' } }], aggregate: { count: 1, average_rating: 5 } })

  const again = await client.submissions.approve({ ...team.project, submission_id: answer.body.id })
  expect(again.state).toBe('approved')
  await expect(client.submissions.reject({ ...team.project, submission_id: answer.body.id })).rejects.toMatchObject({
    code: 'state_conflict',
    fields: { current_state: 'approved' },
  })
  const events = await service.database.run<{ type: string }>('select type from events order by id', [])
  expect(events.map(({ type }) => type)).toEqual(['submission.created', 'submission.approved'])
})
