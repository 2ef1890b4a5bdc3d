import { scopes } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test('the audit log shows actor, action, credential and address, newest first', async () => {
  const client = service.client(team.token)
  const submission = await team.submit()
  await client.submissions.approve({ ...team.project, submission_id: submission.id })
  await client.teams.update({ team_id: team.id, name: 'Renamed' })
  const { results } = await client.teams.auditLog.list({ team_id: team.id, limit: 2 })
  const me = await client.me.retrieve()
  const common = {
    id: expect.any(String),
    actor: { id: me.user.id, name: me.user.name, email: me.user.email, avatar_url: null },
    credential: { id: me.credential.id, kind: 'pat' },
    ip: '127.0.0.1',
    at: expect.stringMatching(/Z$/),
  }
  expect(results).toEqual([
    {
      ...common,
      action: 'team.updated',
      target: { type: 'team', id: team.id },
      project_id: null,
      changes: { name: { from: 'Acme', to: 'Renamed' } },
    },
    {
      ...common,
      action: 'submission.approved',
      target: { type: 'submission', id: submission.id },
      project_id: team.project.project_id,
      changes: { state: { from: 'pending', to: 'approved' } },
    },
  ])
})

test('it is paginated, and filtered by action and time', async () => {
  const own = await makeTeam(service.database)
  const client = service.client(own.token)
  const at = { team_id: own.id }
  for (const name of ['One', 'Two', 'Three']) await client.projects.create({ ...at, name })
  const all: string[] = []
  for await (const { action } of client.teams.auditLog.list({ ...at, limit: 2 })) all.push(action)
  const setUp = ['token.created', 'public_key.created', 'project.created', 'team.created']
  expect(all).toEqual(['project.created', 'project.created', 'project.created', ...setUp])
  const created = await client.teams.auditLog.list({ ...at, action: 'team.created' })
  expect(created.results.map(({ action, credential }) => [action, credential])).toEqual([['team.created', { id: null, kind: 'operator' }]])
  expect((await client.teams.auditLog.list({ ...at, created_before: '2026-01-01T00:00:00Z' })).results).toEqual([])
  expect((await client.teams.auditLog.list({ ...at, created_after: '2026-01-01T00:00:00Z' })).results).toHaveLength(7)
})

test('without read:contacts nobody’s address is in it', async () => {
  const token = await team.tokenOf(
    'admin',
    scopes.filter((scope) => scope !== 'read:contacts'),
  )
  const { results } = await service.client(token).teams.auditLog.list({ team_id: team.id })
  expect(new Set(results.map(({ actor }) => actor?.email))).toEqual(new Set([null]))
})
