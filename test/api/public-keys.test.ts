import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { walkIds } from '../support/walk-pages.ts'

let service: TestService
let team: Team
let keys: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  keys = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/public-keys/`
})
afterAll(() => service.close())

test('a new key opens the public plane of its project', async () => {
  const made = await service.send('POST', keys, { token: team.token, body: { label: 'Footer' } })
  expect(made).toMatchObject({ status: 201, body: { label: 'Footer', revoked_at: null, last_used_at: null } })
  expect(made.body.key).toMatch(/^pk_[0-9A-Za-z]{24}$/)
  expect((await service.send('GET', `/api/public/v1/projects/${made.body.key}/`)).body).toMatchObject({ name: 'Website' })
  const list = await service.send('GET', keys, { token: team.token })
  expect(Date.parse(list.body.results[0].last_used_at)).toBeGreaterThan(Date.now() - 60_000)
})

test('a deleted key looks like an unknown one and leaves the list', async () => {
  const { id, key } = (await service.send('POST', keys, { token: team.token })).body
  expect((await service.send('DELETE', `${keys}${id}/`, { token: team.token })).status).toBe(204)
  const gone = await service.send('GET', `/api/public/v1/projects/${key}/`)
  const never = await service.send('GET', `/api/public/v1/projects/pk_${'0'.repeat(24)}/`)
  expect([gone.status, { ...gone.body, request_id: '' }]).toEqual([404, { ...never.body, request_id: '' }])
  expect(await walkIds(service, keys, { token: team.token })).not.toContain(id)
  expect((await service.send('DELETE', `${keys}${id}/`, { token: team.token })).status).toBe(404)
})

test('keys are listed newest first, in pages', async () => {
  const own = await makeTeam(service.database)
  const path = `/api/v1/teams/${own.id}/projects/${own.project.project_id}/public-keys/`
  const made: string[] = []
  for (const label of ['a', 'b', 'c']) made.push((await service.send('POST', path, { token: own.token, body: { label } })).body.id)
  const listed = await walkIds(service, path, { token: own.token, query: { limit: '2' } })
  expect(listed.slice(0, 3)).toEqual(made.toReversed())
  expect(listed).toHaveLength(4)
})
