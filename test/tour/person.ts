import { expect } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import type { TestResponse } from '../support/test-service.ts'

const ACCOUNT = { email: 'grace@example.com', password: 'seven quiet engines hum' }

/** A person who reads the printed lines and follows them in a browser. */
export interface Person {
  hear: (line: string) => void
  /** Resolves when all of it is done. */
  isDone: () => Promise<void>
}

export function createPerson(url: string): Person {
  const browser = openBrowser({ url, send: (method, path, options) => request(url + path, method, options) })
  let deeds = Promise.resolve()
  const allow = async (address: string) => {
    const page = await browser.open(address)
    if (String(page.body).includes('name="password"')) await browser.type(ACCOUNT)
    return browser.press('allow')
  }
  const signInToApp = async (address: string) => {
    const { headers } = await request(address, 'GET')
    const { body } = await request((await allow(headers.get('location') ?? '')) ?? '', 'GET')
    expect(body).toContain('Thank you')
  }
  return {
    hear(line) {
      const device = /^(?:device: open|Open) (\S+user_code=\S+)/.exec(line)?.[1]
      const app = /^web app: listening at (\S+)/.exec(line)?.[1]
      if (device) deeds = deeds.then(() => allow(device)).then(() => {})
      if (app) deeds = deeds.then(() => signInToApp(app))
    },
    isDone: () => deeds,
  }
}

async function request(
  address: string,
  method: string,
  { body, headers }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<TestResponse> {
  const response = await fetch(address, {
    method,
    redirect: 'manual',
    ...(headers && { headers }),
    ...(body !== undefined && { body: String(body) }),
  })
  return { status: response.status, headers: response.headers, body: await response.text() }
}
