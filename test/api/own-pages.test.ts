import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, makeUser, PASSWORD, type Team } from '../support/people.ts'
import { type SendOptions, startTestService, type TestService } from '../support/test-service.ts'

const SESSION = '/api/auth/session/'
const FORM = 'application/x-www-form-urlencoded'
const PROXY_HOST = 'feedback.example'

type Sent = Record<string, string>

interface Answer {
  status: number
  headers: Headers
  body: unknown
}

let service: TestService
let proxied: TestService
let team: Team
let email: string
/** How browsers name our pages: with Fetch Metadata on trustworthy addresses, by the Origin header alone on others. */
let own: Record<string, Sent>
let foreign: Record<string, Sent>
beforeAll(async () => {
  service = await startTestService()
  // The base URL names another host than the one under which visitors of the proxy open the pages.
  proxied = await startTestService(
    { trustProxy: (_address, hop) => hop < 1, services: { secretBox: service.secretBox } },
    { store: service },
  )
  team = await makeTeam(service.database, { plan: 'free' })
  email = (await makeUser(service.database, PASSWORD)).email
  await service.database.run("insert into memberships (team_id, user_id, role) select $1, id, 'admin' from users where email = $2", [
    team.id,
    email,
  ])
  const { port } = new URL(service.url)
  own = {
    'another name, with Fetch Metadata': { 'sec-fetch-site': 'same-origin', origin: service.url },
    'another name, without': { origin: service.url },
    'the name of the base URL': { origin: 'http://localhost:8000' },
    'localhost on the port of the service': { host: `localhost:${port}`, origin: `http://localhost:${port}` },
    'a name of the network': { host: 'earshot.lan', origin: 'http://earshot.lan' },
  }
  foreign = {
    'another port': { origin: 'http://127.0.0.1:1' },
    'another host': { origin: `http://evil.example:${port}` },
    'another scheme': { origin: service.url.replace('http:', 'https:') },
    'another host on the port': { origin: `http://localhost:${port}` },
    'no host': { origin: 'null' },
    'no host, sent to a host of that name': { origin: 'null', host: 'null' },
    'another name than the one asked': { origin: 'http://earshot.lan', host: 'evil.lan' },
    'a host that contains ours': { origin: `${service.url}.evil.example` },
    'another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    'another port of the host': { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
    'a foreign page that claims our origin': { 'sec-fetch-site': 'cross-site', origin: service.url },
    'a host that no trusted proxy has named': { origin: `https://${PROXY_HOST}`, ...forwarded(PROXY_HOST) },
  }
})
afterAll(async () => {
  await proxied.close()
  await service.close()
})

test('a page of ours signs in and out, changes what the person may change, and sends forms, whatever its name', async () => {
  for (const [name, headers] of Object.entries(own)) await useAsOwn(service, name, headers)
})

test('behind a trusted proxy, the host and scheme that it names are ours', async () => {
  await useAsOwn(proxied, 'https', { origin: `https://${PROXY_HOST}`, ...forwarded(PROXY_HOST) })
  await useAsOwn(proxied, 'a port', { origin: `https://${PROXY_HOST}:8443`, ...forwarded(`${PROXY_HOST}:8443`) })
  for (const origin of [`http://${PROXY_HOST}`, `https://${PROXY_HOST}:8443`, 'https://evil.example', 'null']) {
    await useAsForeign(proxied, origin, { origin, ...forwarded(PROXY_HOST) })
  }
})

test('pages of another port, host or scheme, and of none, are refused', async () => {
  for (const [name, headers] of Object.entries(foreign)) await useAsForeign(service, name, headers)
})

test('a token on a page of ours needs no origin that the team allows; on another page it does', async () => {
  const { token } = await makeTeam(service.database)
  for (const [name, headers] of Object.entries(own)) {
    expect(await send(service, 'GET', '/api/v1/me/', { token, headers }), name).toMatchObject({ status: 200 })
    expect(await send(service, 'GET', '/trpc/me.retrieve', { token, headers }), name).toMatchObject({ status: 200 })
  }
  for (const [name, headers] of Object.entries(foreign)) {
    const refused = { status: 403, body: { code: 'origin_not_allowed' } }
    expect(await send(service, 'GET', '/api/v1/me/', { token, headers }), name).toMatchObject(refused)
  }
})

test('cookies belong to the host alone that set them', async () => {
  const { headers } = await signIn(service, { origin: service.url })
  const names = headers.getSetCookie().map((cookie) => cookie.split('=')[0])
  expect(names).toEqual(['earshot_session', 'earshot_device'])
  for (const cookie of headers.getSetCookie()) expect(cookie).not.toMatch(/;\s*domain/i)
})

test('the pages of the dashboard, like those of the account, are not readable for other sites', async () => {
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' }
  for (const path of ['/app', '/app/', '/app/team/project/inbox', '/accounts/tokens/']) {
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await send(service, method, path, { headers })
      expect(answer.headers.get('access-control-allow-origin'), `${method} ${path}`).toBe(null)
    }
  }
  const other = await send(service, 'GET', '/application/', { headers })
  expect(other.headers.get('access-control-allow-origin')).toBe('*')
})

async function useAsOwn(at: TestService, name: string, headers: Sent): Promise<void> {
  const signedIn = await signIn(at, headers)
  expect(signedIn, name).toMatchObject({ status: 200 })
  const cookie = cookieOf(signedIn.headers)
  const path = `/api/v1/teams/${team.id}/`
  const renamed = await send(at, 'PATCH', path, { headers: { ...headers, cookie }, body: { name } })
  expect(renamed, name).toMatchObject({ status: 200, body: { name } })
  const viaTrpc = await send(at, 'POST', '/trpc/me.update', { headers: { ...headers, cookie }, body: { name } })
  expect(viaTrpc, name).toMatchObject({ status: 200 })

  const form = { ...headers, 'content-type': FORM }
  const page = await send(at, 'POST', '/accounts/sign-in/', {
    headers: form,
    body: String(new URLSearchParams({ email, password: PASSWORD })),
  })
  expect([page.status, page.headers.get('location')], name).toEqual([303, '/app/'])
  const left = await send(at, 'POST', '/accounts/sign-out/', { headers: { ...form, cookie: cookieOf(page.headers) }, body: '' })
  expect([left.status, left.headers.get('set-cookie')], name).toEqual([303, expect.stringContaining('Max-Age=0')])

  expect(await send(at, 'DELETE', SESSION, { headers: { ...headers, cookie } }), name).toMatchObject({ status: 204 })
  expect(await send(at, 'GET', '/api/v1/me/', { headers: { cookie } }), name).toMatchObject({ status: 401 })
}

async function useAsForeign(at: TestService, name: string, headers: Sent): Promise<void> {
  const cookie = cookieOf((await signIn(at, { 'sec-fetch-site': 'same-origin' })).headers)
  const csrf = { status: 403, body: { code: 'csrf_failed' } }
  expect(await signIn(at, headers), name).toMatchObject(csrf)
  expect(await send(at, 'DELETE', SESSION, { headers: { ...headers, cookie } }), name).toMatchObject(csrf)
  const changed = await send(at, 'PATCH', `/api/v1/teams/${team.id}/`, { headers: { ...headers, cookie }, body: { name: 'Taken' } })
  expect(changed, name).toMatchObject({ status: 401, body: { code: 'not_authenticated' } })
  const form = { ...headers, 'content-type': FORM }
  const page = await send(at, 'POST', '/accounts/sign-in/', {
    headers: form,
    body: String(new URLSearchParams({ email, password: PASSWORD })),
  })
  expect([page.status, page.headers.get('set-cookie')], name).toEqual([403, null])
  expect(await send(at, 'POST', '/accounts/sign-out/', { headers: { ...form, cookie }, body: '' }), name).toMatchObject({ status: 403 })
  expect(await send(at, 'GET', '/api/v1/me/', { headers: { cookie } }), name).toMatchObject({ status: 200 })
}

function signIn(at: TestService, headers: Sent) {
  return send(at, 'POST', SESSION, { headers, body: { email, password: PASSWORD } })
}

function cookieOf(headers: Headers): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

function forwarded(host: string): Sent {
  return { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-host': host, 'x-forwarded-proto': 'https' }
}

/** Sends a request with any `Host`, which fetch would replace by that of the address. */
async function send({ url }: TestService, method: string, path: string, { token, body, headers = {} }: SendOptions): Promise<Answer> {
  const isJson = body !== undefined && typeof body !== 'string'
  const all = { ...(token && { authorization: `Bearer ${token}` }), ...(isJson && { 'content-type': 'application/json' }), ...headers }
  const sent = request(url + path, { method, headers: all, agent: false })
  const answered = once(sent, 'response')
  sent.end(isJson ? JSON.stringify(body) : body)
  const [answer] = (await answered) as [IncomingMessage]
  const isJsonBack = answer.headers['content-type']?.includes('json')
  return {
    status: answer.statusCode ?? 0,
    headers: new Headers(
      Object.entries(answer.headersDistinct).flatMap(([name, values = []]) => values.map((value) => [name, value] as [string, string])),
    ),
    body: isJsonBack ? await json(answer) : await text(answer),
  }
}
