import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { type PlayedAnswer, playService, refusal } from './fake-service.ts'
import { PLACE, PROJECT, page, submission, TEAM } from './records.ts'

async function api(args: readonly string[], answers: PlayedAnswer[] = [{ json: {} }], setting: Parameters<typeof earshot>[1] = {}) {
  await using service = await playService(...answers)
  const outcome = await earshot(['api', ...args], { url: service.url, env: PLACE, ...setting })
  return { ...outcome, url: service.url, requests: service.requests, request: service.requests[0] }
}

test.for(['teams/', '/teams/', 'api/v1/teams/', '/api/v1/teams/'])('%s is a path of the service', async (path) => {
  expect((await api(['GET', path])).request).toMatchObject({
    method: 'GET',
    path: '/api/v1/teams/',
    headers: { authorization: 'Bearer svc_test' },
  })
})

test('{team} and {project} are those of other commands', async () => {
  const place = `/api/v1/teams/${TEAM}/projects/${PROJECT}/submissions/`
  expect((await api(['get', 'teams/{team}/projects/{project}/submissions/'])).request).toMatchObject({ method: 'GET', path: place })
  expect((await api(['get', 'teams/{team}/', '--team', 'a/b'])).request?.path).toBe('/api/v1/teams/a%2Fb/')
})

test('fields are the query of GET, and typed JSON of POST with an idempotency key', async () => {
  const { request } = await api(['GET', 'teams/', '--field', 'limit=3', '--raw-field', 'metadata.a=b c', '--field', 'tag[]=x'])
  expect(request?.path).toBe('/api/v1/teams/?limit=3&tag=x&metadata.a=b+c')
  const fields = ['a=true', 'b=null', 'c=1.5', 'd=007', 'author.name=Ada', 'tags[]=x', 'tags[]=2', '__proto__.x=1'].flatMap((text) => [
    '--field',
    text,
  ])
  const { request: post } = await api(['POST', 'teams/', ...fields, '--raw-field', 'e=true'])
  expect(post?.body).toBe('{"a":true,"b":null,"c":1.5,"d":"007","author":{"name":"Ada"},"tags":["x",2],"__proto__":{"x":1},"e":"true"}')
  expect(post?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': expect.stringMatching(/^[\da-f-]{36}$/) })
  expect((await api(['POST', 'teams/', '--idempotency-key', 'k1'])).request?.headers['idempotency-key']).toBe('k1')
  expect((await api(['PATCH', 'teams/x/', '--field', 'name=@-'], undefined, { stdin: 'Ada' })).request?.body).toBe('{"name":"Ada"}')
})

test('--input is the body as it is, and --header sets one', async () => {
  const args = ['POST', 'x/', '--input', '-', '--header', 'Content-Type: text/csv', '--field', 'a=1']
  const { request } = await api(args, undefined, { stdin: 'a,b\n' })
  expect(request).toMatchObject({ path: '/api/v1/x/?a=1', body: 'a,b\n', headers: { 'content-type': 'text/csv' } })
})

test('the body is printed as it is, indented on a terminal, and --include adds status and headers', async () => {
  const answer = { text: '{"a":1}', headers: { 'content-type': 'application/json', 'x-request-id': 'r1' } }
  expect((await api(['GET', 'x/'], [answer])).out).toBe('{"a":1}')
  expect((await api(['GET', 'x/'], [answer], { columns: 80 })).out).toBe('{\n  "a": 1\n}\n')
  expect((await api(['GET', 'x/', '--include'], [answer])).out).toMatch(/^HTTP 200\n(.+\n)*x-request-id: r1\n(.+\n)*\n\{"a":1\}$/)
})

test('--paginate prints all pages as one document', async () => {
  const pages = [page([submission({ id: 'a' })], 'c1'), page([], 'c2'), page([submission({ id: 'b' })])]
  const { out, requests } = await api(['GET', 'x/?limit=1', '--paginate'], pages)
  expect(JSON.parse(out)).toEqual(page([submission({ id: 'a' }), submission({ id: 'b' })]).json)
  expect(requests.map(({ path }) => path)).toEqual(['/api/v1/x/?limit=1', '/api/v1/x/?limit=1&cursor=c1', '/api/v1/x/?limit=1&cursor=c2'])
})

test('a refusal prints its body, and ends with the exit code of other commands', async () => {
  const refused = await api(['GET', 'x/'], [refusal(404, 'not_found')])
  expect(refused).toMatchObject({ exitCode: 1, err: 'error: Refused as not_found. (not_found)\n' })
  expect(JSON.parse(refused.out)).toMatchObject({ code: 'not_found' })
  expect(await api(['GET', 'x/'], [refusal(401, 'invalid_token')])).toMatchObject({ exitCode: 3 })
  expect(await api(['GET', 'x/'], [{ status: 404, text: '<html>' }])).toMatchObject({ exitCode: 4, out: '<html>' })
  expect(await earshot(['api', 'GET', 'x/'], { url: 'http://127.0.0.1:9' })).toMatchObject({ exitCode: 4 })
})

test('the token goes to no other host', async () => {
  await using other = await playService({ json: {} })
  const { host } = new URL(other.url)
  for (const path of [
    `${other.url}/api/v1/teams/`,
    `//${host}/`,
    `\\\\${host}/`,
    `/\\${host}/`,
    `http:${host}`,
    'file:///etc/passwd',
    'javascript:1',
  ]) {
    expect([path, (await api(['GET', path])).exitCode]).toEqual([path, 2])
  }
  for (const path of [`@${host}/`, `/api/../../@${host}/`, `.${host}/`]) expect((await api(['GET', path])).requests).toHaveLength(1)
  await using redirecting = await playService({ status: 302, headers: { location: `${other.url}/` } })
  expect((await earshot(['api', 'GET', 'x/'], { url: redirecting.url })).exitCode).toBe(4)
  expect(other.requests).toEqual([])
  await using service = await playService({ json: {} })
  expect((await earshot(['api', 'GET', `${service.url}/api/v1/me/`], { url: service.url })).exitCode).toBe(0)
})

test.for([
  ['FETCH', 'x/'],
  ['GET', 'x/', '--field', 'novalue'],
  ['POST', 'x/', '--paginate'],
  ['GET', 'x/', '--input', '-'],
  ['GET', 'x/', '--header', 'no value'],
  ['POST', 'x/', '--input', '/does/not/exist'],
  ['POST', 'x/', '--input', '/'],
  ['POST', 'x/', '--field', 'a=@/does/not/exist'],
  ['POST', 'x/', '--idempotency-key', 'k€'],
  ['POST', 'x/', '--idempotency-key', ''],
  ['POST', 'x/', '--header', 'Content-Length: 5'],
  ['GET', 'x/', '--header', 'Transfer-Encoding: chunked'],
  ['GET', 'x/', '--header', 'Expect: 100-continue'],
])('%j is wrong usage', async (args) => {
  expect(await api(args)).toMatchObject({ exitCode: 2, requests: [], err: expect.stringMatching(/^error: [^\n]+\n/) })
})

test.for(['Authorization: Bearer svc_other', 'AUTHORIZATION:x'])('--header %s is refused, because others can see it', async (header) => {
  const { exitCode, err, requests } = await api(['GET', 'x/', '--header', header])
  expect([exitCode, requests]).toEqual([2, []])
  expect(err).toMatch(/^error: --header cannot set Authorization, .*EARSHOT_TOKEN/)
  expect(err).not.toContain('svc_other')
})

test('a response that breaks off is no success, and no bug', async () => {
  for (const args of [
    ['GET', 'x/'],
    ['GET', 'x/', '--paginate'],
  ])
    for (const columns of [undefined, 80])
      for (const status of [200, 500]) {
        const { exitCode, err } = await api(args, [{ instead: 'break', status }], columns ? { columns } : {})
        expect([exitCode, err]).toEqual([4, expect.stringMatching(/^error: http:\S+ broke off its response: /)])
      }
})
