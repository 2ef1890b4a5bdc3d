import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

/** Bodies with one flaw each, and the code that REST answers with. */
const FLAWED: [string, string, string][] = [
  ['NUL in a field', '{"body":"a\\u0000b","author":{"name":"Ada"}}', 'validation_error'],
  ['NUL in free metadata', bodyWith('{"a":["\\u0000"]}'), 'validation_error'],
  ['NUL in a key of free metadata', bodyWith('{"a\\u0000":1}'), 'validation_error'],
  ['a lone surrogate in a field', '{"body":"\\ud800","author":{"name":"Ada"}}', 'validation_error'],
  ['a lone surrogate in free metadata', bodyWith('{"a":{"b":"x\\udfff"}}'), 'validation_error'],
  ['a lone surrogate in a key', bodyWith('{"\\ud800":1}'), 'validation_error'],
  ['an integer beyond 2^53', bodyWith('{"a":9007199254740993}'), 'validation_error'],
  ['a negative integer beyond 2^53', bodyWith('{"a":-9007199254740993}'), 'validation_error'],
  ['a number beyond all doubles', bodyWith('{"a":1e400}'), 'validation_error'],
  ['ten thousand levels of lists', bodyWith(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`), 'validation_error'],
  ['ten thousand levels of objects', bodyWith(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`), 'validation_error'],
  ['one level too many', bodyWith(`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`), 'validation_error'],
  ['a __proto__ key', '{"__proto__":{"admin":true},"body":"x","author":{"name":"Ada"}}', 'malformed_json'],
  ['a __proto__ key deep inside', bodyWith('{"a":[{"__proto__":{"x":1}}]}'), 'malformed_json'],
  ['an escaped __proto__ key', bodyWith('{"\\u005f_proto__":{"x":1}}'), 'malformed_json'],
  ['a text that is cut', '{"body":"x', 'malformed_json'],
  ['two values', '{"body":"x"} {}', 'malformed_json'],
  ['a comment', '{"body":"x" /* why */}', 'malformed_json'],
  ['a trailing comma', '{"body":"x",}', 'malformed_json'],
  ['single quotes', "{'body':'x'}", 'malformed_json'],
  ['a word', 'undefined', 'malformed_json'],
  ['white space alone', ' \n\t ', 'malformed_json'],
  ['a list', '[]', 'validation_error'],
  ['null', 'null', 'validation_error'],
  ['a text', '"x"', 'validation_error'],
  ['a number', '1', 'validation_error'],
]

for (const [what, body, code] of FLAWED) {
  test(`${what} is refused on every surface, and nothing is stored`, async () => {
    for (const path of [submissionsPath(), `/api/public/v1/projects/${team.publicKey}/submissions/`]) {
      expect(await service.send('POST', path, { token: team.token, body }), path).toMatchObject({ status: 400, body: { code } })
    }
    const overTrpc = await service.send('POST', '/trpc/submissions.create', { token: team.token, body: withPlace(body) })
    expect(overTrpc, 'over tRPC').toMatchObject({ status: 400, body: { error: { data: { code } } } })
    expect(await service.database.run('select id from submissions', [])).toEqual([])
  })
}

test('invalid UTF-8 is refused on every surface', async () => {
  const head = Buffer.from(`{"team_id":"${team.id}","project_id":"${team.project.project_id}","author":{"name":"Ada"},"body":"`)
  for (const bytes of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
    const body = Buffer.concat([head, Buffer.from(bytes), Buffer.from('"}')])
    expect(await service.send('POST', submissionsPath(), { token: team.token, body })).toMatchObject({
      status: 400,
      body: { code: 'malformed_json' },
    })
    const overTrpc = await service.send('POST', '/trpc/submissions.create', { token: team.token, body })
    expect([overTrpc.status, JSON.stringify(overTrpc.body)]).toEqual([400, expect.stringContaining('"malformed_json"')])
  }
  expect(await service.database.run('select id from submissions', [])).toEqual([])
})

test('an empty body means {}, with or without a type', async () => {
  const { id } = await team.submit()
  const approve = (headers: Record<string, string>, body?: string) =>
    service.send('POST', `${submissionsPath()}${id}/approve/`, { token: team.token, headers, ...(body !== undefined && { body }) })
  expect((await approve({})).status).toBe(200)
  expect((await approve({ 'content-type': 'application/json' })).status).toBe(200)
  expect((await approve({ 'content-type': 'application/json' }, '')).status).toBe(200)
  await service.database.run('delete from submissions', [])
})

test('JSON is JSON with any charset parameter and in any case, and with a byte order mark', async () => {
  const { id } = await team.submit()
  const path = `${submissionsPath()}${id}/`
  for (const type of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset="utf-8"', 'application/json ;x=y']) {
    const answer = await service.send('PATCH', path, { token: team.token, body: '{"tags":["a"]}', headers: { 'content-type': type } })
    expect(answer.status, type).toBe(200)
  }
  expect((await service.send('PATCH', path, { token: team.token, body: '\ufeff{"tags":["b"]}' })).status).toBe(200)
  for (const type of ['text/json', 'application/merge-patch+json', 'application/jsonx', 'application/x-www-form-urlencoded', '*/*', 'x']) {
    const answer = await service.send('PATCH', path, { token: team.token, body: '{"tags":["a"]}', headers: { 'content-type': type } })
    expect(answer, type).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
  }
  await service.database.run('delete from submissions', [])
})

test('values at the limits are stored unchanged', async () => {
  const metadata = {
    constructor: 'x',
    prototype: 1,
    toString: null,
    safe: [9007199254740991, -9007199254740991, 1.5e300 / 3e299, 5e-324, 0.1],
    text: '😀 \u0001 \u2028 \ufeff \ufffd',
    '': { 'a.b': [] },
  }
  const answer = await service.send('POST', submissionsPath(), {
    token: team.token,
    body: { body: 'x', author: { name: 'Ada' }, metadata },
  })
  expect(answer).toMatchObject({ status: 201 })
  expect(answer.body.metadata).toEqual(metadata)
  await service.database.run('delete from submissions', [])
})

function bodyWith(metadata: string): string {
  return `{"body":"x","author":{"name":"Ada"},"consent":{"granted":true},"metadata":${metadata}}`
}

function submissionsPath(): string {
  return `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
}

/** The same for tRPC, whose input names the place too. */
function withPlace(body: string): string {
  return body.replace(/^\{/, `{"team_id":"${team.id}","project_id":"${team.project.project_id}",`)
}
