import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { makeUser, PASSWORD } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const BASE_URL = 'http://localhost:8000'
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

/** Targets that lead a browser, a lenient parser or a second redirect to another site. */
const HOSTILE = [
  'https://evil.example/',
  'https:evil.example',
  'https:/evil.example',
  'http://evil.example',
  'HTTP://EVIL.EXAMPLE',
  '//evil.example',
  '///evil.example',
  '////evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '\\\\evil.example',
  '/\\/evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/././/evil.example',
  '/a/..//evil.example',
  '/a/../..//evil.example',
  '/%2e//evil.example',
  '/%2E%2E//evil.example',
  '/.\\/evil.example',
  '/.\\\\evil.example',
  './/evil.example',
  '..//evil.example',
  '\t//evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  ' //evil.example',
  '/.\t//evil.example',
  `${BASE_URL}//evil.example`,
  `${BASE_URL}/.//evil.example`,
  `${BASE_URL}/\\evil.example`,
  `${BASE_URL}@evil.example/`,
  `${BASE_URL}.evil.example/`,
  'http://localhost:8000:80@evil.example/',
  'http://localhost:8001/',
  'https://localhost:8000/',
  'javascript:alert(1)',
  'data:text/html,hello',
  'blob:http://localhost:8000/0',
  'file:///etc/passwd',
  'http://[',
  'ws://localhost:8000/',
]

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** Where a browser goes that is sent to `location` by a page of ours. */
const targetOf = (location: string | null) => new URL(location ?? '', `${BASE_URL}/accounts/sign-in/`)

test('there are forty hostile targets', () => {
  expect(new Set(HOSTILE).size).toBeGreaterThanOrEqual(40)
})

test('after the password a person is only ever led to a page of ours', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  for (const next of HOSTILE) {
    const body = String(new URLSearchParams({ email, password: PASSWORD, next }))
    const { status, headers } = await service.send('POST', '/accounts/sign-in/', { headers: FORM, body })
    expect([status, targetOf(headers.get('location')).origin], next).toEqual([303, BASE_URL])
  }
})

test('neither the page to sign in, nor that to sign up, carries such a target on', async () => {
  for (const page of ['/accounts/sign-in/', '/accounts/sign-up/']) {
    for (const next of HOSTILE) {
      const browser = openBrowser(service)
      await browser.open(`${page}?${new URLSearchParams({ next })}`)
      const { next: kept = '' } = browser.filled()
      expect([kept[0], targetOf(kept).origin], `${page} ${next}`).toEqual(['/', BASE_URL])
    }
  }
})

test('the second step leads only to a page of ours', async () => {
  for (const next of HOSTILE) {
    const body = String(new URLSearchParams({ first_step: '', otp: '000000', next }))
    const { status, headers } = await service.send('POST', '/accounts/sign-in/code/', { headers: FORM, body })
    const back = targetOf(headers.get('location'))
    expect([status, back.pathname, targetOf(back.searchParams.get('next')).origin], next).toEqual([303, '/accounts/sign-in/', BASE_URL])
  }
})

test('a page of ours is kept, with its query, written in either way', async () => {
  for (const next of ['/o/device/?user_code=BCDF-GHJK', `${BASE_URL}/o/device/?user_code=BCDF-GHJK`, '/o/./device/?user_code=BCDF-GHJK']) {
    const browser = openBrowser(service)
    await browser.open(`/accounts/sign-in/?${new URLSearchParams({ next })}`)
    expect(browser.filled().next).toBe('/o/device/?user_code=BCDF-GHJK')
  }
})
