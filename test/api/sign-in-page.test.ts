import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeUser, PASSWORD } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const PAGE = '/accounts/sign-in/'
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

let service: TestService
let email: string
beforeAll(async () => {
  service = await startTestService()
  email = (await makeUser(service.database, PASSWORD)).email
})
afterAll(() => service.close())

test('a person signs in on a page without script and returns to the page they wanted', async () => {
  const form = await service.send('GET', `${PAGE}?next=${encodeURIComponent('/o/device/?user_code=BCDF-GHJK')}`)
  expect(form.status).toBe(200)
  expect(form.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'; .*frame-ancestors 'none'$/)
  expect(form.headers.get('cache-control')).toBe('no-store')
  expect(form.body).toContain('name="next" value="/o/device/?user_code=BCDF-GHJK"')

  const answer = await post({ email: email.toUpperCase(), password: PASSWORD, next: '/o/device/?user_code=BCDF-GHJK' })
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toBe('/o/device/?user_code=BCDF-GHJK')
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  expect(await service.send('GET', '/api/v1/me/', { headers: { cookie } })).toMatchObject({ status: 200 })

  const again = await service.send('GET', PAGE, { headers: { cookie } })
  expect([again.status, again.headers.get('location')]).toEqual([303, '/app/'])
})

test('a wrong password, an unknown address and an invalid address look the same, and the input is kept, escaped', async () => {
  const pages = await Promise.all(
    [email, 'nobody@example.com', '"><script>alert(1)</script>'].map(async (typed) => {
      const { status, body } = await post({ email: typed, password: 'wrong' })
      const escaped = typed.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
      expect(body).toContain(`value="${escaped}"`)
      return [status, body.replace(escaped, '')]
    }),
  )
  expect(pages[0]?.[0]).toBe(401)
  expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1)
})

test('a page refuses a form of another page, a repeated field, and a body that is no form', async () => {
  const foreign = await post({ email, password: PASSWORD }, { 'sec-fetch-site': 'cross-site' })
  expect(foreign.status).toBe(403)
  expect(foreign.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(foreign.headers.get('set-cookie')).toBe(null)
  expect((await service.send('POST', PAGE, { headers: FORM, body: 'email=a&email=b' })).status).toBe(400)
  expect((await service.send('POST', PAGE, { headers: FORM, body: 'email=%00' })).status).toBe(400)
  expect((await service.send('POST', PAGE, { headers: { ...FORM, 'content-type': 'application/json' }, body: '{}' })).status).toBe(415)
  expect((await service.send('POST', PAGE, { headers: FORM, body: `email=${'x'.repeat(70_000)}` })).status).toBe(413)
})

test('signing out ends the session and clears the cookie', async () => {
  const { headers } = await post({ email, password: PASSWORD })
  const cookie = headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const out = await service.send('POST', '/accounts/sign-out/', { headers: { ...FORM, cookie }, body: '' })
  expect([out.status, out.headers.get('location')]).toEqual([303, PAGE])
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
  expect(await service.send('GET', '/api/v1/me/', { headers: { cookie } })).toMatchObject({ status: 401 })
})

function post(fields: Record<string, string>, headers: Record<string, string> = {}) {
  return service.send('POST', PAGE, { headers: { ...FORM, ...headers }, body: String(new URLSearchParams(fields)) })
}
