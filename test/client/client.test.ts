import { type CallOptions, createClient, EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from '@earshot/contracts/client'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { type PlayedService, playService, refusal } from '../cli/fake-service.ts'
import { freePort } from '../support/free-port.ts'

const TEAM = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01'
const PROJECT = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e02'
const SUBMISSION = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e03'
const place = { team_id: TEAM, project_id: PROJECT }
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const AT_ONCE = { 'retry-after': '0' }

function clientOf({ url }: PlayedService, options: { maxRetries?: number; timeoutMs?: number } = {}) {
  return createClient({ baseUrl: url, token: 'svc_test', userAgent: 'a-test', ...options })
}

describe('a request', () => {
  test('sends path fields in the path and the others in the body, with credential and media type', async () => {
    await using service = await playService({ json: { id: SUBMISSION } })
    await clientOf(service).submissions.approve({ ...place, submission_id: SUBMISSION, reason: 'très bien' })
    const [request] = service.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: `/api/v1/teams/${TEAM}/projects/${PROJECT}/submissions/${SUBMISSION}/approve/`,
      body: '{"reason":"très bien"}',
      headers: { authorization: 'Bearer svc_test', 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'a-test' },
    })
    expect(request?.headers['idempotency-key']).toMatch(UUID)
  })

  test('repeats a query parameter for each item of a list, writes booleans as words and leaves out what is undefined', async () => {
    await using service = await playService({ json: { results: [], next_cursor: null } })
    const client = clientOf(service)
    await client.events.list({ team_id: TEAM, types: ['submission.created', 'submission.approved'] })
    await client.submissions.list({ ...place, has_video: false, search: 'a&b ü', limit: 5 })
    expect(service.requests.map(({ path }) => path.split('?')[1])).toEqual([
      'types=submission.created&types=submission.approved',
      'has_video=false&search=a%26b+%C3%BC&limit=5',
    ])
    expect(service.requests.map(({ body, headers }) => [body, headers['idempotency-key']])).toEqual([
      ['', undefined],
      ['', undefined],
    ])
  })

  test('percent-encodes a path field, and refuses one that would change the path', async () => {
    await using service = await playService({ json: {} })
    const { teams } = clientOf(service)
    await teams.retrieve({ team_id: 'a/b?c' })
    expect(service.requests[0]?.path).toBe('/api/v1/teams/a%2Fb%3Fc/')
    for (const team_id of ['', '.', '..']) await expect(teams.retrieve({ team_id })).rejects.toThrow(TypeError)
    expect(service.requests).toHaveLength(1)
  })

  test('keeps the path of the base address', async () => {
    await using service = await playService({ json: {} })
    await createClient({ baseUrl: `${service.url}/earshot/`, token: 'svc_test' }).me.retrieve()
    expect(service.requests[0]?.path).toBe('/earshot/api/v1/me/')
  })

  test('carries no credential on the public plane, not even one among the headers', async () => {
    await using service = await playService({ status: 201, json: { id: SUBMISSION } })
    const headers = { Authorization: 'Bearer svc_other', 'X-Trace': 'abc' }
    const client = createClient({ baseUrl: service.url, token: 'svc_test', headers })
    await client.public.submissions.create({ public_key: 'pk_1', body: 'Fine', author: { name: 'Ada' }, consent: { granted: true } })
    expect(service.requests[0]?.headers).toMatchObject({ 'x-trace': 'abc', 'idempotency-key': expect.stringMatching(UUID) })
    expect(service.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test('takes headers and an idempotency key per call', async () => {
    await using service = await playService({ json: {} })
    const options: CallOptions = { idempotencyKey: 'my-key', headers: { 'X-Earshot-Client': 'mcp' } }
    await clientOf(service).teams.create({ name: 'Acme' }, options)
    expect(service.requests[0]?.headers).toMatchObject({ 'idempotency-key': 'my-key', 'x-earshot-client': 'mcp' })
  })
})

describe('a response', () => {
  test('204 is undefined', async () => {
    await using service = await playService({ status: 204 })
    expect(await clientOf(service).teams.delete({ team_id: TEAM })).toBeUndefined()
  })

  test('with an error is an EarshotApiError with all fields of the body', async () => {
    await using service = await playService(refusal(409, 'state_conflict', { current_state: 'approved' }))
    const error = await clientOf(service)
      .submissions.reject({ ...place, submission_id: SUBMISSION })
      .catch(String)
    expect(error).toBe('EarshotApiError: Refused as state_conflict. (state_conflict)')
    await expect(clientOf(service).submissions.reject({ ...place, submission_id: SUBMISSION })).rejects.toMatchObject({
      status: 409,
      code: 'state_conflict',
      detail: 'Refused as state_conflict.',
      requestId: 'req-1',
      fields: { current_state: 'approved' },
      errors: [],
    })
  })

  test('with field errors carries them', async () => {
    const errors = [{ field: 'author.email', code: 'invalid_format', detail: 'Invalid email address' }]
    await using service = await playService(refusal(400, 'validation_error', { errors }))
    await expect(clientOf(service).teams.create({ name: '' })).rejects.toMatchObject({ code: 'validation_error', errors, fields: {} })
    expect(service.requests).toHaveLength(1)
  })

  test.for([
    { status: 200, text: '<h1>Welcome</h1>', headers: { 'content-type': 'text/html' } },
    { status: 404, text: 'nginx', headers: { 'content-type': 'text/html' } },
    { status: 400, json: { message: 'another service' } },
    { status: 301, text: '', headers: { location: 'https://example.com/' } },
  ])('that is not the service’s ($status) is an EarshotConnectionError that names the response', async (answer) => {
    await using service = await playService(answer)
    const error = await clientOf(service)
      .me.retrieve()
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(EarshotConnectionError)
    expect(String(error)).toContain(`${service.url}/api/v1/me/ responded with ${answer.status}`)
    expect(service.requests).toHaveLength(1)
  })
})

describe('a retry', () => {
  test.for([429, 503])('follows %i, with the same idempotency key and body', async (status) => {
    const refused = { ...refusal(status, status === 429 ? 'rate_limited' : 'dependency_unavailable'), headers: AT_ONCE }
    await using service = await playService(refused, refused, { status: 201, json: { id: TEAM } })
    expect(await clientOf(service).teams.create({ name: 'Acme' })).toEqual({ id: TEAM })
    expect(service.requests).toHaveLength(3)
    expect(new Set(service.requests.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`)).size).toBe(1)
  })

  test('follows a broken connection, for PATCH and DELETE too', async () => {
    await using service = await playService({ instead: 'reset' }, { json: { id: TEAM } }, { instead: 'reset' }, { status: 204 })
    const { teams } = clientOf(service)
    await teams.update({ team_id: TEAM, name: 'Acme' })
    await teams.delete({ team_id: TEAM })
    expect(service.requests.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'DELETE', 'DELETE'])
  })

  test('gets a key of its own for each call', async () => {
    await using service = await playService({ json: {} })
    const { teams } = clientOf(service)
    await teams.create({ name: 'Acme' })
    await teams.create({ name: 'Acme' })
    const keys = service.requests.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(2)
  })

  test('ends after maxRetries with the last error', async () => {
    await using service = await playService({ ...refusal(503, 'dependency_unavailable'), headers: AT_ONCE })
    await expect(clientOf(service, { maxRetries: 1 }).me.retrieve()).rejects.toMatchObject({ status: 503, retryAfterSeconds: 0 })
    expect(service.requests).toHaveLength(2)
  })

  test('waits as long as Retry-After says', async () => {
    await using service = await playService({ ...refusal(429, 'rate_limited'), headers: { 'retry-after': '1' } }, { json: {} })
    const startedAtMs = performance.now()
    await clientOf(service).me.retrieve()
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(990)
  })

  test.for([
    ['seconds', '120'],
    ['a date', new Date(Date.now() + 120_000).toUTCString()],
  ] as const)('is not begun when Retry-After, in %s, is longer than the call may take', async ([, retryAfter]) => {
    await using service = await playService({ ...refusal(429, 'rate_limited'), headers: { 'retry-after': retryAfter } })
    const error = await clientOf(service)
      .me.retrieve()
      .catch((reason: unknown) => reason)
    if (!(error instanceof EarshotApiError)) throw error
    expect(error.retryAfterSeconds).toBeGreaterThan(110)
    expect(service.requests).toHaveLength(1)
  })

  test.for([400, 401, 402, 403, 404, 409, 500])('never follows %i', async (status) => {
    await using service = await playService(refusal(status, 'internal_error'))
    await expect(clientOf(service).me.retrieve()).rejects.toBeInstanceOf(EarshotApiError)
    expect(service.requests).toHaveLength(1)
  })

  test('is never made for an operation that uses up a token: a second try would end the login', async () => {
    for (const reply of [refusal(503, 'dependency_unavailable'), { instead: 'reset' } as const]) {
      await using service = await playService(reply)
      await expect(clientOf(service).auth.token.refresh({ refresh: 'svr_test' })).rejects.toThrow()
      expect(service.requests).toHaveLength(1)
    }
  })

  test('is never made for an operation that waits for a third party, which takes no key and more time', async () => {
    await using service = await playService(refusal(503, 'dependency_unavailable'))
    await expect(clientOf(service).webhooks.test({ team_id: TEAM, webhook_id: TEAM })).rejects.toThrow()
    expect(service.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined])
  })

  test('that cannot connect ends as an EarshotConnectionError with the reason', async () => {
    const client = createClient({ baseUrl: `http://127.0.0.1:${await freePort()}`, maxRetries: 1 })
    await expect(client.me.retrieve()).rejects.toThrow(/^http:\/\/127\.0\.0\.1:\d+ is not reachable: ECONNREFUSED\.$/)
  })
})

describe('a call', () => {
  test('ends after timeoutMs with an EarshotTimeoutError, per client or per call', async () => {
    await using service = await playService({ instead: 'silence' })
    await expect(clientOf(service, { timeoutMs: 400 }).me.retrieve()).rejects.toBeInstanceOf(EarshotTimeoutError)
    await expect(clientOf(service).me.retrieve({}, { timeoutMs: 500 })).rejects.toMatchObject({ timeoutMs: 500 })
    expect(service.requests).toHaveLength(2)
  })

  test('ends when its signal aborts: before it, in it, and between retries', async () => {
    await using service = await playService({ instead: 'silence' }, { ...refusal(429, 'rate_limited'), headers: { 'retry-after': '20' } })
    const { me } = clientOf(service)
    const reason = new Error('enough')
    await expect(me.retrieve({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(service.requests).toHaveLength(0)
    for (const count of [1, 2]) {
      const controller = new AbortController()
      const call = me.retrieve({}, { signal: controller.signal })
      await expect.poll(() => service.requests.length).toBe(count)
      controller.abort(reason)
      await expect(call).rejects.toBe(reason)
    }
  })
})

describe('a list', () => {
  const pages = [
    { json: { results: [{ id: '3' }, { id: '2' }], next_cursor: 'c1' } },
    { json: { results: [], next_cursor: 'c2' } },
    { json: { results: [{ id: '1' }], next_cursor: null } },
  ]

  test('is its first page when awaited', async () => {
    await using service = await playService(...pages)
    expect(await clientOf(service).submissions.list(place)).toEqual(pages[0]?.json)
    expect(service.requests).toHaveLength(1)
  })

  test('is every item when iterated, past an empty page in the middle, with the same filters', async () => {
    await using service = await playService(...pages)
    const found = await Array.fromAsync(clientOf(service).submissions.list({ ...place, state: 'pending' }), ({ id }) => id)
    expect(found).toEqual(['3', '2', '1'])
    expect(service.requests.map(({ path }) => path.split('?')[1])).toEqual([
      'state=pending',
      'state=pending&cursor=c1',
      'state=pending&cursor=c2',
    ])
  })

  test('yields whole pages too, and requests only the pages that are read', async () => {
    await using service = await playService(...pages)
    for await (const { next_cursor } of clientOf(service).teams.list().pages()) if (next_cursor === 'c2') break
    expect(service.requests).toHaveLength(2)
  })

  test('that is an endless feed ends at its first empty page', async () => {
    const caughtUp = { json: { results: [], next_cursor: 'c2' } }
    await using service = await playService({ json: { results: [{ id: '1' }], next_cursor: 'c1' } }, caughtUp)
    expect(await Array.fromAsync(clientOf(service).events.list({ team_id: TEAM }), ({ id }) => id)).toEqual(['1'])
    expect(service.requests).toHaveLength(2)
  })

  test('throws from the iteration when a later page fails', async () => {
    await using service = await playService({ json: { results: [{ id: '1' }], next_cursor: 'c1' } }, refusal(400, 'invalid_cursor'))
    await expect(Array.fromAsync(clientOf(service).teams.list())).rejects.toMatchObject({ code: 'invalid_cursor' })
  })
})

test('what a given fetch throws for another reason than the network reaches the caller, after one try', async () => {
  const reason = new Error('There is no token.')
  let count = 0
  const fetch = async () => {
    count += 1
    throw reason
  }
  const client = createClient({ baseUrl: 'http://localhost:8000', fetch })
  await expect(client.teams.list()).rejects.toBe(reason)
  await expect(Array.fromAsync(client.events.stream({ team_id: TEAM }))).rejects.toBe(reason)
  await expect(Array.fromAsync(client.submissions.export({ team_id: TEAM, project_id: TEAM }))).rejects.toBe(reason)
  expect(count).toBe(3)
})

test('types come from the contracts', () => {
  const client = createClient({ baseUrl: 'http://localhost:8000' })
  expectTypeOf(client.teams.list).parameter(0).toEqualTypeOf<{ cursor?: string | undefined; limit?: number | undefined } | undefined>()
  expectTypeOf(client.submissions.approve).parameter(0).toHaveProperty('submission_id').toEqualTypeOf<string>()
  expectTypeOf(client.submissions.approve).returns.resolves.toHaveProperty('state').toEqualTypeOf<'pending' | 'approved' | 'rejected'>()
  expectTypeOf(client.teams.delete).returns.resolves.toEqualTypeOf<void>()
  // @ts-expect-error The path's fields are required.
  expectTypeOf(client.teams.retrieve).toBeCallableWith({})
})
