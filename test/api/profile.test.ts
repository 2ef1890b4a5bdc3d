import { scopes } from '@earshot/contracts'
import { addTeamMember } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, makeTokenOf, makeUser } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('a profile change emits one event in each team of the user, with public fields alone', async () => {
  const [one, two] = [await makeTeam(service.database), await makeTeam(service.database)]
  const user = await makeUser(service.database)
  for (const { id } of [one, two]) await addTeamMember(service.database, { team_id: id, userId: user.id, role: 'viewer' })
  const client = service.client(await makeTokenOf(service.database, user, scopes))

  const profile = await client.me.update({
    name: 'Ada King',
    avatar_url: 'https://example.com/ada.png',
    timezone: 'Europe/London',
    locale: 'fr',
  })
  expect(profile).toMatchObject({ name: 'Ada King', avatar_url: 'https://example.com/ada.png', timezone: 'Europe/London', locale: 'fr' })
  expect((await client.me.retrieve()).user).toEqual(profile)
  const published = { user: { id: user.id, name: 'Ada King', email: user.email, avatar_url: 'https://example.com/ada.png' } }
  expect(await publishedTo(one.id)).toEqual([published])
  expect(await publishedTo(two.id)).toEqual([published])

  await client.me.update({ timezone: 'Asia/Tokyo' })
  await client.me.update({ name: 'Ada King' })
  await client.me.update({})
  expect(await publishedTo(one.id)).toHaveLength(1)
  expect((await client.me.update({ avatar_url: null })).avatar_url).toBeNull()
  expect(await publishedTo(one.id)).toHaveLength(2)
})

test.for(['Mars/Olympus', '+02:00', 'x'.repeat(64), ''])('%s is no time zone', async (timezone) => {
  const { token } = await makeTeam(service.database)
  const answer = await service.send('PATCH', '/api/v1/me/', { token, body: { timezone } })
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'timezone' }] } })
})

async function publishedTo(teamId: string): Promise<unknown[]> {
  const rows = await service.database.run<{ payload: string }>(
    "select payload from events where team_id = $1 and type = 'user.profile.updated' order by id",
    [teamId],
  )
  return rows.map(({ payload }) => JSON.parse(payload).data)
}
