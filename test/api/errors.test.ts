import { readFileSync } from 'node:fs'
import { openDatabase } from '@earshot/db'
import { createLog } from '@earshot/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { requestHead, sendRaw } from '../support/raw-http.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const FIFTY_MEGABYTES = 50 * 1_048_576

let service: TestService
let team: Team
let submissions: string
beforeAll(async () => {
  // One test breaks the database on purpose; its log line would only frighten.
  service = await startTestService({ log: createLog({ level: 'silent' }) })
  team = await makeTeam(service.database)
  submissions = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
})
afterAll(() => service.close())

test('unknown paths are 404 in JSON, whatever the client accepts', async () => {
  const paths = [
    '/nowhere',
    '/api/',
    '/api/v1/',
    '/api/v1/teams/%ZZ/',
    '/api/v1/teams/%/',
    '/api/v2/teams/',
    '/trpc',
    '/API/V1/ME/',
    `/api/v1/teams/${'x'.repeat(3_000)}/`,
  ]
  for (const path of paths) {
    const answer = await service.send('GET', path, { token: team.token, headers: { accept: 'text/html,image/*' } })
    expect(answer, path).toMatchObject({ status: 404, body: { code: 'not_found', detail: expect.any(String) } })
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'))
  }
})

test('results and refusals name the version of the service', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  for (const path of ['/api/v1/me/', '/api/v1/nothing/', '/mcp']) {
    const answer = await service.send('GET', path, { token: team.token })
    expect([path, answer.headers.get('earshot-version')]).toEqual([path, version])
  }
})

test('success is JSON too, whatever the client accepts', async () => {
  for (const accept of ['text/html', 'application/xml;q=1, */*;q=0', 'nonsense']) {
    const answer = await service.send('GET', '/api/v1/me/', { token: team.token, headers: { accept } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  }
})

test('a path without its last slash is the same path', async () => {
  for (const path of ['/api/v1/me', '/api/v1/teams', submissions.slice(0, -1)]) {
    expect((await service.send('GET', path, { token: team.token })).status, path).toBe(200)
  }
  expect((await service.send('POST', submissions.slice(0, -1), { token: team.token, body: {} })).status).toBe(400)
})

test('an unsupported method is 405 with the supported ones', async () => {
  const allowed: [string, string, string][] = [
    ['PUT', submissions, 'GET, HEAD, POST'],
    ['DELETE', submissions, 'GET, HEAD, POST'],
    ['GET', `${submissions}moderate/`, 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['OPTIONS', '/api/v1/me/', 'GET, HEAD, PATCH'],
  ]
  for (const [method, path, allow] of allowed) {
    const answer = await service.send(method, path)
    expect([answer.status, answer.body.code, answer.headers.get('allow')], `${method} ${path}`).toEqual([405, 'method_not_allowed', allow])
  }
})

test('every response has a request id: the client’s if it is well-formed, else a new one', async () => {
  for (const [given, kept] of [
    ['trace-1.a:b_c', true],
    ['x'.repeat(129), false],
    ['<script>', false],
    ['a b', false],
  ] as const) {
    for (const path of ['/api/v1/me/', '/nowhere/', '/healthz']) {
      const answer = await service.send('GET', path, { headers: { 'x-request-id': given } })
      const id = answer.headers.get('x-request-id')
      if (kept) expect(id).toBe(given)
      else expect(id).toMatch(/^[0-9a-f-]{36}$/)
      if (answer.status !== 200) expect(answer.body.request_id).toBe(id)
    }
  }
})

test('a token in the query is refused, even a valid one', async () => {
  const paths = [
    `/api/v1/me/?token=${team.token}`,
    `/api/v1/teams/?cursor=${team.token}`,
    `${submissions}?search=svc_something`,
    `${submissions}?tag=a&tag=sva_something`,
    `/api/public/v1/projects/${team.publicKey}/items/?tag=svr_something`,
  ]
  for (const path of paths) {
    const answer = await service.send('GET', path, { token: team.token })
    expect(answer, path).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
    expect(JSON.stringify(answer.body)).not.toContain(team.token)
  }
})

test('the scheme Bearer is case-insensitive; any other scheme is no credential', async () => {
  const status = async (authorization: string) => (await service.send('GET', '/api/v1/me/', { headers: { authorization } })).status
  expect(await status(`bearer ${team.token}`)).toBe(200)
  expect(await status(`BEARER   ${team.token}`)).toBe(200)
  for (const wrong of [
    `Basic ${team.token}`,
    team.token,
    'Bearer',
    `Bearer ${team.token} extra`,
    `Bearer ${team.token},x`,
    `Token ${team.token}`,
  ]) {
    expect(await status(wrong), wrong.slice(0, 10)).toBe(401)
  }
})

test('a duplicate parameter is refused by name where one is expected', async () => {
  for (const name of ['limit', 'cursor', 'state', 'search', 'created_after', 'has_video']) {
    const answer = await service.send('GET', `${submissions}?${name}=1&${name}=1`, { token: team.token })
    expect(answer, name).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: name }] } })
  }
})

test('a response names at most a hundred faults of its request', async () => {
  const body = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`field_${index}`, index]))
  const answer = await service.send('POST', submissions, { token: team.token, body })
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_error' } })
  expect(answer.body.errors).toHaveLength(100)
})

test('headers of 20 KB are refused with 431 and the usual error body', async () => {
  const answer = await sendRaw(service.url, [requestHead('GET /api/v1/me/', { 'x-filler': 'x'.repeat(20_000) })])
  expect(answer).toMatchObject({
    status: 431,
    body: { code: 'headers_too_large', detail: expect.any(String), request_id: expect.any(String) },
  })
  expect(answer.head).toContain('content-type: application/json')
  expect(answer.head).toContain(`x-request-id: ${answer.body.request_id}`)
})

test('malformed HTTP is refused with 400 and the usual error body', async () => {
  for (const text of [
    'NONSENSE\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000',
  ]) {
    const answer = await sendRaw(service.url, [text])
    expect(answer, JSON.stringify(text)).toMatchObject({ status: 400, body: { code: 'validation_error', request_id: expect.any(String) } })
  }
})

test('a body of 50 MB is refused without being read, with or without Content-Length', async () => {
  const authorization = `Bearer ${team.token}`
  const json = { authorization, 'content-type': 'application/json' }
  const announced = await sendRaw(service.url, [requestHead(`POST ${submissions}`, { ...json, 'content-length': FIFTY_MEGABYTES })])
  expect(announced).toMatchObject({ status: 413, body: { code: 'body_too_large', limit_bytes: 1_048_576 } })

  const head = requestHead(`POST ${submissions}`, { ...json, 'transfer-encoding': 'chunked' })
  const streamed = await sendRaw(service.url, chunksOf(head, FIFTY_MEGABYTES))
  expect(streamed).toMatchObject({ status: 413, body: { code: 'body_too_large' } })
  expect(streamed.sentBytes).toBeLessThan(FIFTY_MEGABYTES / 4)

  const stranger = await sendRaw(
    service.url,
    chunksOf(requestHead(`POST ${submissions}`, { 'transfer-encoding': 'chunked' }), FIFTY_MEGABYTES),
  )
  expect(stranger).toMatchObject({ status: 401, body: { code: 'not_authenticated' } })
  expect(stranger.sentBytes).toBeLessThan(FIFTY_MEGABYTES / 4)
  expect((await service.send('GET', '/healthz')).status).toBe(200)
})

test('an error does not reveal its cause', async () => {
  const owner = openDatabase({ address: service.address, poolSize: 1, applicationName: 'earshot test' })
  await owner.run('alter table submissions rename to hidden', [])
  const answer = await service.send('GET', submissions, { token: team.token })
  await owner.run('alter table hidden rename to submissions', [])
  await owner.close()
  expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } })
  expect(JSON.stringify(answer.body)).not.toMatch(/submission|relation|select|\.ts|stack/i)
  expect((await service.send('GET', submissions, { token: team.token })).status).toBe(200)
})

test('tRPC’s own errors carry the same body in error.data', async () => {
  const calls: [string, string, unknown, number, string][] = [
    ['GET', '/trpc/no.such.thing', undefined, 404, 'not_found'],
    ['GET', '/trpc/public.items.list', undefined, 404, 'not_found'],
    ['POST', '/trpc/me.retrieve', {}, 405, 'method_not_allowed'],
    ['GET', '/trpc/teams.create', undefined, 405, 'method_not_allowed'],
    ['POST', '/trpc/teams.create', '{"cut', 400, 'malformed_json'],
    ['POST', '/trpc/teams.create', '[]', 400, 'validation_error'],
    ['POST', '/trpc/teams.create', 'null', 400, 'validation_error'],
    ['POST', '/trpc/teams.create', '"text"', 400, 'validation_error'],
    ['GET', '/trpc/teams.list?input=%7Bcut', undefined, 400, 'malformed_json'],
  ]
  for (const [method, path, body, status, code] of calls) {
    const answer = await service.send(method, path, { token: team.token, body })
    expect(answer, `${method} ${path}`).toMatchObject({ status, body: { error: { data: { code, request_id: expect.any(String) } } } })
    expect(JSON.stringify(answer.body)).not.toContain('stack')
  }
})

test('tRPC accepts what REST does: JSON alone, within its size', async () => {
  const authorization = `Bearer ${team.token}`
  const form = { authorization, 'content-type': 'multipart/form-data; boundary=x', 'transfer-encoding': 'chunked' }
  const json = { ...form, 'content-type': 'application/json' }
  for (const [headers, status, code] of [
    [form, 415, 'unsupported_media_type'],
    [json, 413, 'body_too_large'],
  ] as const) {
    const answer = await sendRaw(service.url, chunksOf(requestHead('POST /trpc/teams.create', headers), FIFTY_MEGABYTES))
    expect(answer).toMatchObject({ status, body: { error: { message: expect.any(String), code: expect.any(Number), data: { code } } } })
    expect(answer.sentBytes).toBeLessThan(FIFTY_MEGABYTES / 4)
  }
})

test('each call of a batch is authorized on its own', async () => {
  const input = encodeURIComponent(JSON.stringify({ 0: {}, 1: { team_id: team.id }, 2: { limit: 0 } }))
  const answer = await service.send('GET', `/trpc/me.retrieve,projects.list,teams.list?batch=1&input=${input}`, { token: team.token })
  expect(answer.status).toBe(207)
  expect(answer.body).toMatchObject([
    { result: { data: { user: {} } } },
    { result: { data: { results: [{ id: team.project.project_id }] } } },
    { error: { data: { code: 'validation_error', errors: [{ field: 'limit' }] } } },
  ])
})

function* chunksOf(head: string, bytes: number): Generator<string | Buffer> {
  yield head
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, ' '), Buffer.from('\r\n')])
  for (let sent = 0; sent < bytes; sent += 65_536) yield chunk
}
