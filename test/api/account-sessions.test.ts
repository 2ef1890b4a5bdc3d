import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { makeUser, PASSWORD } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('a session is named by browser and system, with all that the program sent beside', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const from = (agent: string) =>
    openBrowser({
      url: service.url,
      send: (method, path, options) => service.send(method, path, { ...options, headers: { ...options?.headers, 'user-agent': agent } }),
    })
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  await from(firefox).signIn(email, PASSWORD)
  await from('my-crawler <b>/1.0').signIn(email, PASSWORD)
  const edge = from(
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0',
  )
  await edge.signIn(email, PASSWORD)
  const { body } = await edge.open('/accounts/sessions/')
  expect(body).toContain(`<strong title="${firefox}">Firefox on Linux</strong>`)
  expect(body).toContain('>Microsoft Edge on Windows</strong>')
  expect(body).toContain('>my-crawler &lt;b&gt;/1.0</strong>')
})
