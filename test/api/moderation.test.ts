import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

let service: TestService
let team: Team
let submissions: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  submissions = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
})
afterAll(() => service.close())

test('approving again is no error, no event and no audit entry, and keeps the first decision', async () => {
  const { id } = await team.submit()
  const first = await decide(id, 'approve', { reason: 'First' })
  expect(first).toMatchObject({ status: 200, body: { state: 'approved', moderation: { by: team.ownerId, reason: 'First' } } })
  for (const body of [{}, { reason: 'Second' }, { expected_state: 'approved' }]) {
    expect((await decide(id, 'approve', body)).body).toEqual(first.body)
  }
  expect(await tracesOf(id)).toEqual(['submission.approved'])
})

test('rejecting again is no error, no event and no audit entry', async () => {
  const { id } = await team.submit()
  const first = await decide(id, 'reject')
  expect((await decide(id, 'reject', { expected_state: 'approved' })).body).toEqual(first.body)
  expect(await tracesOf(id)).toEqual(['submission.rejected'])
})

test('a decision is reverted only by a caller who names the current state', async () => {
  const { id } = await team.submit()
  await decide(id, 'approve')
  for (const body of [{}, { expected_state: 'pending' }, { expected_state: 'rejected' }]) {
    const refused = await decide(id, 'reject', body)
    // Expecting the requested state overwrites nothing unknowingly; the submission stays approved.
    expect(refused, JSON.stringify(body)).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'approved' } })
  }
  expect(await decide(id, 'reject', { expected_state: 'approved' })).toMatchObject({ status: 200, body: { state: 'rejected' } })
  expect(await decide(id, 'approve')).toMatchObject({ status: 409, body: { current_state: 'rejected' } })
  expect(await decide(id, 'approve', { expected_state: 'rejected' })).toMatchObject({ status: 200, body: { state: 'approved' } })
  expect(await tracesOf(id)).toEqual(['submission.approved', 'submission.rejected', 'submission.approved'])
})

test("a viewer's token with moderate:submissions cannot approve", async () => {
  const { id } = await team.submit()
  const token = await team.tokenOf('viewer', ['moderate:submissions', 'read:submissions'])
  const answer = await service.send('POST', `${submissions}${id}/approve/`, { token })
  expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_role', required_role: 'member' } })
})

test('of twenty concurrent moderators one approves; nobody overwrites the decision', async () => {
  const { id } = await team.submit()
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => decide(id, n % 2 === 0 ? 'approve' : 'reject')))
  const [trace, ...others] = await tracesOf(id)
  expect(others).toEqual([])
  const state = trace?.split('.')[1]
  expect(answers.filter(({ status }) => status === 200).every(({ body }) => body.state === state)).toBe(true)
  expect(answers.filter(({ status }) => status === 409).every(({ body }) => body.current_state === state)).toBe(true)
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), ...Array(10).fill(409)])
})

test('a batch returns a result for each item, in order, each independent', async () => {
  const [pending, approved, rejected, twice] = await Promise.all([team.submit(), team.submit(), team.submit(), team.submit()])
  await decide(approved.id, 'approve')
  await decide(rejected.id, 'reject')
  const stranger = await (await makeTeam(service.database)).submit()
  const answer = await service.send('POST', `${submissions}moderate/`, {
    token: team.token,
    body: {
      items: [
        { submission_id: pending.id, action: 'approve', reason: 'Kind' },
        { submission_id: approved.id, action: 'approve' },
        { submission_id: rejected.id, action: 'approve' },
        { submission_id: stranger.id, action: 'approve' },
        { submission_id: twice.id, action: 'approve' },
        { submission_id: twice.id, action: 'reject', expected_state: 'approved' },
        { submission_id: twice.id, action: 'approve' },
      ],
    },
  })
  expect(answer.status).toBe(200)
  expect(answer.body.results).toMatchObject([
    { submission_id: pending.id, outcome: 'changed', submission: { state: 'approved', moderation: { reason: 'Kind' } }, error: null },
    { submission_id: approved.id, outcome: 'unchanged', submission: { state: 'approved' }, error: null },
    { submission_id: rejected.id, outcome: 'failed', submission: null, error: { code: 'state_conflict', current_state: 'rejected' } },
    { submission_id: stranger.id, outcome: 'failed', submission: null, error: { code: 'not_found', current_state: null } },
    { submission_id: twice.id, outcome: 'changed', submission: { state: 'approved' } },
    { submission_id: twice.id, outcome: 'changed', submission: { state: 'rejected' } },
    { submission_id: twice.id, outcome: 'failed', error: { code: 'state_conflict', current_state: 'rejected' } },
  ])
  expect(await tracesOf(twice.id)).toEqual(['submission.approved', 'submission.rejected'])
  expect(await tracesOf(stranger.id)).toEqual([])
})

test('a batch has one to a hundred items', async () => {
  const item = { submission_id: (await team.submit()).id, action: 'approve' }
  for (const items of [[], Array(101).fill(item)]) {
    const answer = await service.send('POST', `${submissions}moderate/`, { token: team.token, body: { items } })
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'items' }] } })
  }
  const full = await service.send('POST', `${submissions}moderate/`, { token: team.token, body: { items: Array(100).fill(item) } })
  const outcomes = full.body.results.map(({ outcome }: { outcome: string }) => outcome)
  expect(outcomes).toEqual(['changed', ...Array(99).fill('unchanged')])
})

test('batches with the same items in other orders wait for each other and never fail', async () => {
  const made = await Promise.all(Array.from({ length: 30 }, () => team.submit()))
  const ids = made.map(({ id }) => id)
  const orders = [ids, ids.toReversed(), ids, ids.toReversed()]
  const answers = await Promise.all(
    orders.map((order) => {
      const items = order.map((submission_id) => ({ submission_id, action: 'approve' }))
      return service.send('POST', `${submissions}moderate/`, { token: team.token, body: { items } })
    }),
  )
  const outcomes = answers.flatMap(({ body }) => body.results.map(({ outcome }: { outcome: string }) => outcome))
  expect(outcomes.filter((outcome) => outcome === 'changed')).toHaveLength(30)
  expect(outcomes.filter((outcome) => outcome === 'unchanged')).toHaveLength(90)
})

function decide(id: string, action: 'approve' | 'reject', body: Record<string, unknown> = {}): Promise<TestResponse> {
  return service.send('POST', `${submissions}${id}/${action}/`, { token: team.token, body })
}

/** The decisions that left a trace: each must stand once in the events and once in the audit log. */
async function tracesOf(id: string): Promise<string[]> {
  const events = await service.database.run<{ type: string }>(
    "select type from events where payload::jsonb -> 'data' -> 'submission' ->> 'id' = $1 and type <> 'submission.created' order by id",
    [id],
  )
  const audit = await service.database.run<{ action: string }>('select action from audit_entries where target_id = $1 order by id', [id])
  expect(audit.map(({ action }) => action)).toEqual(events.map(({ type }) => type))
  return events.map(({ type }) => type)
}
