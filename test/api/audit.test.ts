import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

interface AuditRow {
  action: string
  target_type: string
  target_id: string
  project_id: string | null
  actor_user_id: string
  credential_kind: string
  ip: string
  changes: Record<string, unknown>
}

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test('every change is in the audit log once: actor, credential, address and changes', async () => {
  const client = service.client(team.token)
  const at = { team_id: team.id }
  const project = await client.projects.create({ ...at, name: 'Audited' })
  const inProject = { ...at, project_id: project.id }
  await client.projects.update({ ...inProject, name: 'Renamed' })
  const key = await client.publicKeys.create(inProject)
  await client.publicKeys.delete({ ...inProject, public_key_id: key.id })
  const submission = await client.submissions.create({ ...inProject, body: 'x', author: { name: 'Ada' } })
  const one = { ...inProject, submission_id: submission.id }
  await client.submissions.update({ ...one, tags: ['a'] })
  await client.submissions.approve(one)
  await client.submissions.moderate({
    ...inProject,
    items: [{ submission_id: submission.id, action: 'reject', expected_state: 'approved' }],
  })
  await client.submissions.delete(one)
  const webhook = await client.webhooks.create({ ...at, url: 'http://127.0.0.1:9/', events: ['*'] })
  await client.webhooks.update({ ...at, webhook_id: webhook.id, state: 'paused' })
  await client.webhooks.delete({ ...at, webhook_id: webhook.id })
  await client.teams.update({ ...at, settings: { locale: 'fr' } })
  await client.projects.delete(inProject)

  const rows = await auditOf(team.id)
  expect(rows.map(({ action, target_id, changes }) => [action, target_id, changes])).toEqual([
    ['project.created', project.id, {}],
    ['project.updated', project.id, { name: { from: 'Audited', to: 'Renamed' } }],
    ['public_key.created', key.id, {}],
    ['public_key.deleted', key.id, {}],
    ['submission.created', submission.id, {}],
    ['submission.updated', submission.id, { tags: { from: [], to: ['a'] } }],
    ['submission.approved', submission.id, { state: { from: 'pending', to: 'approved' } }],
    ['submission.rejected', submission.id, { state: { from: 'approved', to: 'rejected' } }],
    ['submission.deleted', submission.id, {}],
    ['webhook.created', webhook.id, {}],
    ['webhook.updated', webhook.id, { state: { from: 'active', to: 'paused' } }],
    ['webhook.deleted', webhook.id, {}],
    ['team.updated', team.id, { locale: { from: 'en', to: 'fr' } }],
    ['project.deleted', project.id, {}],
  ])
  for (const row of rows) expect(row).toMatchObject({ actor_user_id: team.ownerId, credential_kind: 'pat', ip: '127.0.0.1' })
})

test('a personal token is logged in each of the person’s teams, with its scopes and never its value', async () => {
  const own = await makeTeam(service.database)
  const client = service.client(own.token)
  const other = await client.teams.create({ name: 'Second' })
  const made = await client.me.tokens.create({ name: 'CI', scopes: ['read:projects', 'write:tokens'] })
  const child = await service.client(made.token).me.tokens.create({ name: 'Child', scopes: ['read:projects'] })
  await client.me.tokens.delete({ token_id: made.id })
  const created = (name: string, scopes: string[]) => ({ name: { from: null, to: name }, scopes: { from: null, to: scopes } })
  const lines = [
    ['token.created', made.id, created('CI', ['read:projects', 'write:tokens'])],
    ['token.created', child.id, created('Child', ['read:projects'])],
    ...[made.id, child.id].sort().map((id) => ['token.deleted', id, {}]),
  ]
  for (const team_id of [own.id, other.id]) {
    const rows = (await auditOf(team_id)).filter(({ action }) => action.startsWith('token.'))
    const entries = rows.map(({ action, target_id, changes }) => [action, target_id, changes])
    expect([...entries.slice(0, 2), ...entries.slice(2).sort()]).toEqual(lines)
    expect(JSON.stringify(rows)).not.toContain('svc_')
  }
})

test('refused requests and repeated decisions are not logged', async () => {
  const own = await makeTeam(service.database)
  const client = service.client(own.token)
  const { id } = await own.submit()
  const one = { ...own.project, submission_id: id }
  await client.submissions.approve(one)
  await client.submissions.approve(one)
  await client.submissions.reject(one).catch(() => {})
  await client.projects.create({ team_id: own.id, name: 'Twin', slug: 'website' }).catch(() => {})
  expect((await auditOf(own.id)).map(({ action }) => action)).toEqual(['submission.approved'])
})

/** The lines that callers of the API made; the operator's of the set-up aside. */
async function auditOf(team_id: string): Promise<AuditRow[]> {
  return service.database.run<AuditRow>(
    "select *, host(ip) as ip from audit_entries where team_id = $1 and credential_kind <> 'operator' order by id",
    [team_id],
  )
}
