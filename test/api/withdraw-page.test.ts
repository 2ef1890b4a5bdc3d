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

test('the page has the name, the colour, the theme and the language of the page that led to it, also after its button', async () => {
  await service.client(team.token).projects.update({ ...team.project, name: 'Northlight', theme: { color: '#d3402f' } })
  const words = { body: 'Lovely', name: 'Ada', consent: 'yes' }
  const path = `/c/${team.publicKey}?theme=dark&lang=de`
  const form = await service.send('GET', path)
  expect(form.body).toContain(`href="/c/withdraw?key=${team.publicKey}&amp;lang=de&amp;theme=dark"`)
  const sent = await service.send('POST', path, { headers: FORM, body: String(new URLSearchParams(words)) })
  const [, link = ''] = /href="(\/c\/withdraw\?token=[^"]+)"/.exec(sent.body) ?? []
  const page = await service.send('GET', link.replaceAll('&amp;', '&'))
  const [, action = ''] = /action="([^"]+)"/.exec(page.body) ?? []
  expect(action).not.toContain('token')
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page.body) ?? []
  const done = await service.send('POST', action.replaceAll('&amp;', '&'), { headers: FORM, body: String(new URLSearchParams({ token })) })
  for (const { status, body } of [page, done]) {
    expect(status).toBe(200)
    for (const part of ['<html lang="de" dir="ltr" data-theme="dark">', '/c/theme/d3402f.css', '<bdi>Northlight</bdi>'])
      expect(body).toContain(part)
  }
})

test('a link whose project is unknown works without its look', async () => {
  const { revoke_token } = await publish('Without a look')
  for (const key of ['pk_unknown', '<script>', '']) {
    const { status, body } = await service.send('GET', `/c/withdraw?${new URLSearchParams({ token: revoke_token, key })}`)
    expect([status, body.includes('<h1>Withdraw your consent?</h1>'), body.includes('/c/theme/')]).toEqual([200, true, false])
  }
})

async function publish(body = 'Lovely'): Promise<{ id: string; revoke_token: string }> {
  const { id, revoke_token } = await service
    .client()
    .public.submissions.create({ public_key: team.publicKey, body, author: { name: 'Ada' }, consent: { granted: true } })
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
