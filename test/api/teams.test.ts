import { scopes } from '@earshot/contracts'
import { updateTeam } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, makeTokenOf, makeUser, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { walkIds } from '../support/walk-pages.ts'

const TEAMS = '/api/v1/teams/'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test('the creator of a team is its owner, on the default plan, at the address in Location', async () => {
  const { token } = await newcomer()
  const made = await service.send('POST', TEAMS, { token, body: { name: 'Ada & Sons' } })
  expect(made).toMatchObject({
    status: 201,
    body: {
      name: 'Ada & Sons',
      slug: expect.stringMatching(/^ada-and-sons/),
      role: 'owner',
      plan: 'pro',
      settings: { nps_low_score_threshold: 7, cors_origins: [], locale: 'en' },
    },
  })
  expect(made.headers.get('location')).toBe(`${TEAMS}${made.body.id}/`)
  const shown = await service.send('GET', `${TEAMS}${made.body.id}/`, { token })
  expect(shown.body).toEqual(made.body)
})

test('a generated slug is always free; a given slug that is taken is refused', async () => {
  const { token } = await newcomer()
  const named = await service.send('POST', TEAMS, { token, body: { name: 'Twin', slug: 'twin' } })
  const made = await service.send('POST', TEAMS, { token, body: { name: 'Twin' } })
  expect([named.body.slug, made.status]).toEqual(['twin', 201])
  expect(made.body.slug).toMatch(/^twin-/)
  const taken = await service.send('POST', TEAMS, { token, body: { name: 'Other', slug: 'twin' } })
  expect(taken).toMatchObject({ status: 409, body: { code: 'already_exists' } })
  const moved = await service.send('PATCH', `${TEAMS}${made.body.id}/`, { token, body: { slug: 'twin' } })
  expect(moved).toMatchObject({ status: 409, body: { code: 'already_exists' } })
})

test('a time zone that the database does not know is refused, whoever asks', async () => {
  const actor = { userId: team.ownerId, credentialId: null, credentialKind: 'operator' as const, ip: null }
  const change = updateTeam(service.database, actor, team.id, { timezone: 'Mars/Olympus' })
  await expect(change).rejects.toMatchObject({ code: 'validation_error', errors: [{ field: 'settings.timezone' }] })
  expect((await updateTeam(service.database, actor, team.id, { timezone: 'Asia/Kathmandu' })).timezone).toBe('Asia/Kathmandu')
  await updateTeam(service.database, actor, team.id, { timezone: 'UTC' })
})

test('an update merges: absent fields stay, and null is refused for required ones', async () => {
  const path = `${TEAMS}${team.id}/`
  const settings = { cors_origins: ['https://app.example.com'], nps_low_score_threshold: 3 }
  await service.send('PATCH', path, { token: team.token, body: { settings } })
  const changed = await service.send('PATCH', path, { token: team.token, body: { settings: { locale: 'de' } } })
  expect(changed).toMatchObject({ status: 200, body: { name: 'Acme', settings: { ...settings, locale: 'de' } } })
  const nothing = await service.send('PATCH', path, { token: team.token, body: {} })
  expect(nothing.body).toEqual({ ...changed.body, updated_at: nothing.body.updated_at })
  for (const body of [
    { name: null },
    { settings: null },
    { settings: { locale: null } },
    { plan: 'business' },
    { settings: { cors_origins: ['*'] } },
  ]) {
    expect(await service.send('PATCH', path, { token: team.token, body }), JSON.stringify(body)).toMatchObject({ status: 400 })
  }
})

test('callers list their own teams, newest first, in pages, each with their role', async () => {
  const { token, user } = await newcomer()
  const other = await makeTeam(service.database)
  await service.database.run("insert into memberships (team_id, user_id, role) values ($1, $2, 'viewer')", [other.id, user.id])
  const mine = await service.send('POST', TEAMS, { token, body: { name: 'Mine' } })
  const list = await service.send('GET', TEAMS, { token })
  const shown = list.body.results.map(({ id, role }: { id: string; role: string }) => [id, role])
  expect(shown.slice(0, 2)).toEqual([
    [mine.body.id, 'owner'],
    [other.id, 'viewer'],
  ])
  expect(await walkIds(service, TEAMS, { token, query: { limit: '1' } })).toEqual(shown.map(([id]: [string]) => id))
})

test('a user can create a limited number of teams: of ten at once exactly one gets the last', async () => {
  const { token, user } = await newcomer()
  for (let count = 0; count < 19; count += 1) {
    await service.database.run(
      `insert into teams (name, slug, plan, nps_low_score_threshold, cors_origins, locale, created_by)
       values ('Bulk', $1, 'pro', 7, '{}', 'en', $2)`,
      [`bulk-${user.id}-${count}`, user.id],
    )
  }
  const answers = await Promise.all(Array.from({ length: 10 }, () => service.send('POST', TEAMS, { token, body: { name: 'Last' } })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(402)])
  expect(answers.find(({ status }) => status === 402)?.body).toMatchObject({
    code: 'quota_exceeded',
    quota: 'teams',
    limit: 20,
    used: 20,
    resets_at: null,
  })
})

test('a deleted team is gone on the next request, including its public plane, and its slug is free', async () => {
  const doomed = await makeTeam(service.database)
  const member = await doomed.tokenOf('member')
  const path = `${TEAMS}${doomed.id}/`
  await service.send('PATCH', path, { token: doomed.token, body: { slug: 'doomed' } })
  // A second team keeps its people's access to the API.
  await service.send('POST', TEAMS, { token: doomed.token, body: { name: 'Next' } })
  expect((await service.send('DELETE', path, { token: doomed.token })).status).toBe(204)
  for (const token of [doomed.token, member]) expect((await service.send('GET', path, { token })).status).toBe(404)
  expect((await service.send('DELETE', path, { token: doomed.token })).status).toBe(404)
  expect((await service.send('GET', `/api/public/v1/projects/${doomed.publicKey}/`)).status).toBe(404)
  expect(await walkIds(service, TEAMS, { token: doomed.token })).not.toContain(doomed.id)
  expect(await service.send('PATCH', `${TEAMS}${team.id}/`, { token: team.token, body: { slug: 'doomed' } })).toMatchObject({ status: 200 })
})

/** Makes a person whose other team has API access. */
async function newcomer() {
  const user = await makeUser(service.database)
  const home = await makeTeam(service.database)
  await service.database.run("insert into memberships (team_id, user_id, role) values ($1, $2, 'viewer')", [home.id, user.id])
  return { user, token: await makeTokenOf(service.database, user, scopes) }
}
