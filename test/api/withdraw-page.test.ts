import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPages } from '../support/built-pages.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

let service: TestService
let team: Team
beforeAll(async () => {
  buildPages()
  service = await startTestService()
  team = await makeTeam(service.database)
}, 60_000)
afterAll(() => service.close())

test('opening the link withdraws nothing; its button does, at once, and again with the same answer', async () => {
  const { id, revoke_token } = await publish()
  expect(await publicIds()).toEqual([id])
  const page = await service.send('GET', `/c/withdraw?token=${revoke_token}`)
  expect([page.status, page.body.includes('<h1>Withdraw your consent?</h1>')]).toEqual([200, true])
  expect(page.headers.get('set-cookie')).toBeNull()
  expect(await publicIds()).toEqual([id])
  for (let time = 0; time < 2; time += 1) {
    const done = await press(revoke_token)
    expect([done.status, done.body.includes('<h1>Your consent is withdrawn</h1>')]).toEqual([200, true])
  }
  expect(await publicIds()).toEqual([])
})

test('a link that is incomplete or made up says so, and shows no hostile text as HTML', async () => {
  for (const token of ['rvk_no', '<script>alert(1)</script>', 'x'.repeat(500)]) {
    const { status, body } = await press(token)
    expect([status, body.includes('<h1>This link does not work</h1>')]).toEqual([404, true])
    expect((await service.send('GET', `/c/withdraw?${new URLSearchParams({ token })}`)).body).not.toContain('<script>alert')
  }
  expect((await service.send('GET', '/c/withdraw')).status).toBe(404)
})

async function publish(): Promise<{ id: string; revoke_token: string }> {
  const { id, revoke_token } = await service
    .client()
    .public.submissions.create({ public_key: team.publicKey, body: 'Lovely', author: { name: 'Ada' }, consent: { granted: true } })
  await service.client(team.token).submissions.approve({ ...team.project, submission_id: id })
  return { id, revoke_token: revoke_token ?? '' }
}

async function publicIds(): Promise<string[]> {
  const { results } = await service.client().public.items.list({ public_key: team.publicKey })
  return results.map(({ id }) => id)
}

function press(token: string): Promise<TestResponse> {
  return service.send('POST', '/c/withdraw', { headers: FORM, body: String(new URLSearchParams({ token })) })
}
