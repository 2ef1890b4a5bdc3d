import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let team: Team
let projects: string
let project: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  projects = `/api/v1/teams/${team.id}/projects/`
  project = `${projects}${team.project.project_id}/`
})
afterAll(() => service.close())

test('a matching ETag gives 304 without a body; a change gives another ETag', async () => {
  const first = await service.send('GET', project, { token: team.token })
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[^"]+"$/)
  for (const header of [etag, `W/${etag}`, '*', `"other", ${etag}`]) {
    const same = await ifNoneMatch(project, header)
    expect([same.status, same.body, same.headers.get('etag')], header).toEqual([304, undefined, etag])
    expect(same.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
  }
  await service.send('PATCH', project, { token: team.token, body: { name: 'Changed' } })
  const changed = await ifNoneMatch(project, etag)
  expect([changed.status, changed.body.name]).toEqual([200, 'Changed'])
  expect(changed.headers.get('etag')).not.toBe(etag)
})

test('the ETag depends on what the caller may see', async () => {
  const { id } = await team.submit({ author_email: 'secret@example.com' })
  const path = `${project}submissions/${id}/`
  const seen = await service.send('GET', path, { token: team.token })
  const blind = await service.send('GET', path, { token: await team.tokenOf('viewer') })
  expect(blind.headers.get('etag')).not.toBe(seen.headers.get('etag'))
})

test('a list that has no pages has an ETag, and a page has none', async () => {
  const types = await service.send('GET', `/api/v1/teams/${team.id}/events/types/`, { token: team.token })
  const etag = types.headers.get('etag') ?? ''
  expect(types.body.results.length).toBeGreaterThan(0)
  expect((await ifNoneMatch(`/api/v1/teams/${team.id}/events/types/`, etag)).status).toBe(304)
  expect((await service.send('GET', projects, { token: team.token })).headers.get('etag')).toBeNull()
})

test('an ETag does not bypass authorization', async () => {
  const etag = (await service.send('GET', project, { token: team.token })).headers.get('etag') ?? ''
  const stranger = await makeTeam(service.database)
  const answer = await service.send('GET', project, { token: stranger.token, headers: { 'if-none-match': etag } })
  expect(answer.status).toBe(404)
})

test('lists of the API have no ETag and are not cached; public reads have one and are revalidated', async () => {
  const list = await service.send('GET', projects, { token: team.token })
  expect([list.headers.get('etag'), list.headers.get('cache-control')]).toEqual([null, 'private, no-store'])
  const items = `/api/public/v1/projects/${team.publicKey}/items/`
  const shown = await service.send('GET', items)
  expect(shown.headers.get('cache-control')).toBe('no-cache')
  const etag = shown.headers.get('etag') ?? ''
  expect((await ifNoneMatch(items, etag)).status).toBe(304)

  const { id } = await team.submit({ consent_granted: true })
  await service.client(team.token).submissions.approve({ ...team.project, submission_id: id })
  expect((await ifNoneMatch(items, etag)).body.results).toMatchObject([{ id }])
})

test('HEAD has the ETag and length of GET, and accepts If-None-Match', async () => {
  const get = await service.send('GET', project, { token: team.token })
  const head = await service.send('HEAD', project, { token: team.token })
  for (const name of ['etag', 'content-length', 'content-type', 'cache-control'])
    expect(head.headers.get(name), name).toBe(get.headers.get(name))
  const same = await service.send('HEAD', project, { token: team.token, headers: { 'if-none-match': get.headers.get('etag') ?? '' } })
  expect(same.status).toBe(304)
  expect((await service.send('HEAD', project)).status).toBe(401)
})

function ifNoneMatch(path: string, etag: string) {
  return service.send('GET', path, { token: team.token, headers: { 'if-none-match': etag } })
}
