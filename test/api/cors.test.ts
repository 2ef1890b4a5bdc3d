import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const ALLOWED = 'https://app.example.com'

let service: TestService
let team: Team
let plainTeam: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  plainTeam = await makeTeam(service.database)
  await service.client(team.token).teams.update({ team_id: team.id, settings: { cors_origins: [ALLOWED] } })
})
afterAll(() => service.close())

test('a preflight allows the requested method and headers, on any path, and never credentials', async () => {
  for (const path of ['/api/v1/me/', `/api/v1/teams/${team.id}/`, '/api/public/v1/consent/revoke/', '/trpc/me.retrieve']) {
    const { status, headers, body } = await service.send('OPTIONS', path, {
      headers: {
        origin: 'https://any.example.com',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization, idempotency-key',
      },
    })
    expect([status, body], path).toEqual([204, undefined])
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(headers.get('access-control-allow-headers')).toBe('authorization, idempotency-key')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  }
})

test("a team's paths allow pages of its origins alone, and tell others why", async () => {
  const path = `/api/v1/teams/${team.id}/projects/`
  expect((await from(ALLOWED, path, team)).status).toBe(200)
  for (const origin of ['https://evil.example.com', 'http://app.example.com', `${ALLOWED}:8443`, 'null']) {
    const refused = await from(origin, path, team)
    expect(refused, origin).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } })
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  }
  expect((await from(ALLOWED, `/api/v1/teams/${plainTeam.id}/projects/`, plainTeam)).status).toBe(403)
})

test('paths without a team allow the origins of any of the caller’s teams', async () => {
  expect((await from(ALLOWED, '/api/v1/me/', team)).status).toBe(200)
  expect((await from(ALLOWED, '/api/v1/me/', plainTeam)).status).toBe(403)
  expect((await from(ALLOWED, '/trpc/me.retrieve', team)).status).toBe(200)
  const refused = await from(ALLOWED, '/trpc/me.retrieve', plainTeam)
  expect(refused).toMatchObject({ status: 403, body: { error: { data: { code: 'origin_not_allowed' } } } })
})

test('the service’s own pages, and programs without an origin, are not restricted', async () => {
  expect((await from('http://localhost:8000', '/api/v1/me/', plainTeam)).status).toBe(200)
  const program = await service.send('GET', '/api/v1/me/', { token: plainTeam.token })
  expect([program.status, program.headers.get('access-control-allow-origin')]).toEqual([200, null])
})

test('the public plane allows any page', async () => {
  const { status, headers } = await service.send('GET', `/api/public/v1/projects/${team.publicKey}/items/`, {
    headers: { origin: 'https://any.example.com' },
  })
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
})

test('a page may read the headers for limits, request id, replays, ETag and Location', async () => {
  const { headers } = await from(ALLOWED, '/api/v1/me/', team)
  const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ')
  const wanted = ['etag', 'idempotency-replayed', 'location', 'ratelimit', 'ratelimit-policy', 'retry-after', 'x-ratelimit-limit']
  expect(exposed).toEqual(expect.arrayContaining([...wanted, 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id']))
})

function from(origin: string, path: string, { token }: Team) {
  return service.send('GET', path, { token, headers: { origin } })
}
