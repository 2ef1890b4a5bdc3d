import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { makeUser, PASSWORD } from '../support/people.ts'
import { startTestService } from '../support/test-service.ts'

test('the root address leads to the dashboard, through sign-in', async () => {
  const service = await startTestService()
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await service.send(method, '/')
    expect([status, headers.get('location')]).toEqual([303, '/app/'])
  }
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const refused = await service.send(method, '/')
    expect(refused).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
    expect(refused.headers.get('allow')).toBe('GET, HEAD')
  }
  const browser = openBrowser(service)
  expect((await browser.open('/')).body).toContain('<h1>Sign in</h1>')
  const { email, name } = await makeUser(service.database, PASSWORD)
  await browser.signIn(email, PASSWORD)
  expect((await browser.open('/')).body).toContain('<div id="app">')
  expect((await browser.open('/accounts/')).body).toContain(`<h1>${name}</h1>`)
  const head = await service.send('HEAD', '/accounts/', { headers: { cookie: browser.cookie() } })
  expect([head.status, head.body]).toEqual([200, undefined])
  await service.close()
})
