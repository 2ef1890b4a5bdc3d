import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const RECEIVER = 'http://127.0.0.1:9/hooks'
const MASK = '********'
const TOKEN = 'Bearer 9f3b2b8f7a6f1e01'

let service: TestService
let team: Team
let webhooks: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  webhooks = `/api/v1/teams/${team.id}/webhooks/`
})
afterAll(() => service.close())

describe('headers of one’s own', () => {
  test('are shown by name with a mask, sealed in the row, and nowhere else', async () => {
    const made = await create({ headers: { Authorization: TOKEN, 'X-Tenant': 'acme-production' } })
    const shown = { Authorization: MASK, 'X-Tenant': MASK }
    expect(made).toMatchObject({ status: 201, body: { headers: shown } })
    const { id } = made.body
    expect((await ask('GET', `${id}/`)).body.headers).toEqual(shown)
    expect((await ask('GET', '')).body.results.find((one: { id: string }) => one.id === id).headers).toEqual(shown)
    expect((await ask('POST', `${id}/rotate-secret/`)).body.headers).toEqual(shown)
    expect(await rowOf(id)).toEqual({
      header_names: ['Authorization', 'X-Tenant'],
      opened: { Authorization: TOKEN, 'X-Tenant': 'acme-production' },
    })
    // The fixture searches the log and all tables for the values when it closes.
    const [row] = await service.database.run<{ text: string }>('select e::text as text from webhook_endpoints e where id = $1', [id])
    expect(row?.text).not.toContain('acme-production')
  })

  test('are none by default', async () => {
    const { id, headers } = (await create({})).body
    expect(headers).toEqual({})
    expect(await rowOf(id)).toEqual({ header_names: [], opened: null })
  })

  test('sealed for another endpoint do not open', async () => {
    const [one, other] = [await create({ headers: { Authorization: TOKEN } }), await create({})]
    await service.database.run(
      'update webhook_endpoints e set header_names = o.header_names, header_values = o.header_values from webhook_endpoints o where e.id = $1 and o.id = $2',
      [other.body.id, one.body.id],
    )
    await expect(rowOf(other.body.id)).rejects.toThrow('was altered, or moved')
  })
})

describe('an update', () => {
  test('merges headers: absent ones stay, null removes, and names compare without case', async () => {
    const { id } = (await create({ headers: { Authorization: TOKEN, 'X-One': 'first-value', 'X-Two': 'second-value' } })).body
    expect((await update(id, { headers: { 'x-one': 'another-value', 'X-TWO': null, 'X-Three': 'third-value' } })).body.headers).toEqual({
      Authorization: MASK,
      'x-one': MASK,
      'X-Three': MASK,
    })
    expect((await rowOf(id)).opened).toEqual({ Authorization: TOKEN, 'x-one': 'another-value', 'X-Three': 'third-value' })
    expect((await update(id, { description: 'Behind a gateway' })).body.headers).toEqual({
      Authorization: MASK,
      'x-one': MASK,
      'X-Three': MASK,
    })
    expect((await update(id, { headers: {} })).body.headers).toEqual({ Authorization: MASK, 'x-one': MASK, 'X-Three': MASK })
    expect((await update(id, { headers: { 'X-Unknown': null } })).body.headers).toEqual({
      Authorization: MASK,
      'x-one': MASK,
      'X-Three': MASK,
    })
    expect((await update(id, { headers: null })).body.headers).toEqual({})
    expect(await rowOf(id)).toEqual({ header_names: [], opened: null })
  })

  test('of twenty at once, each with a header of its own, loses none; a twenty-first is refused', async () => {
    const { id } = (await create({})).body
    const names = Array.from({ length: 20 }, (_, index) => `X-Header-${index}`)
    const answers = await Promise.all(names.map((name) => update(id, { headers: { [name]: `value of ${name}` } })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await rowOf(id)).header_names.toSorted()).toEqual(names.toSorted())
    expect(await update(id, { headers: { 'X-One-More': 'value' } })).toMatchObject(refusal('headers', 'must be at most 20 headers'))
    // Twenty others in place of all twenty.
    const others = Object.fromEntries(names.flatMap((name) => [[name, null] as const, [`Other-${name}`, 'another value'] as const]))
    expect(Object.keys((await update(id, { headers: others })).body.headers)).toEqual(names.map((name) => `Other-${name}`))
  })

  test('cannot exceed 16 KB of headers together with what is there', async () => {
    const quarter = 'v'.repeat(4_000)
    const { id } = (await create({ headers: { A: quarter, B: quarter } })).body
    expect(await update(id, { headers: { C: quarter, D: quarter } })).toMatchObject({ status: 200 })
    expect(await update(id, { headers: { E: quarter } })).toMatchObject(
      refusal('headers', 'must have at most 16,384 bytes of names and values in all'),
    )
    expect(await update(id, { headers: { A: null, E: quarter } })).toMatchObject({ status: 200 })
  })

  test('is audited by the names of what changed', async () => {
    const { id } = (await create({ headers: { Authorization: TOKEN, 'X-One': 'first-value', 'X-Two': 'second-value' } })).body
    await update(id, {
      headers: { authorization: 'Bearer another-token', 'X-One': 'first-value', 'X-Two': null, 'X-Three': 'third-value' },
    })
    const [entry] = await service.database.run<{ changes: unknown }>(
      "select changes from audit_entries where target_id = $1 and action = 'webhook.updated'",
      [id],
    )
    expect(entry?.changes).toEqual({
      'headers.authorization': { from: MASK, to: MASK },
      'headers.X-Two': { from: MASK, to: null },
      'headers.X-Three': { from: null, to: MASK },
    })
  })
})

describe('a move of url to another origin', () => {
  const MOVES = ['http://127.0.0.2:9/hooks', 'http://127.0.0.1:10/hooks', 'https://127.0.0.1:9/hooks']

  test.each(MOVES)(
    'to %s needs every header again or removed, so that nobody sends what they cannot read to a server of theirs',
    async (url) => {
      const { id } = (await create({ headers: { Authorization: TOKEN, 'X-Key': 'first-value' } })).body
      const detail = (names: string) => `must be given again, or removed with null, when url moves to another origin: ${names}`
      expect(await update(id, { url })).toMatchObject(refusal('headers', detail('Authorization, X-Key')))
      expect(await update(id, { url, headers: {} })).toMatchObject(refusal('headers', detail('Authorization, X-Key')))
      expect(await update(id, { url, headers: { 'X-Key': 'first-value' } })).toMatchObject(refusal('headers', detail('Authorization')))
      expect((await ask('GET', `${id}/`)).body).toMatchObject({ url: RECEIVER, headers: { Authorization: MASK, 'X-Key': MASK } })

      const moved = await update(id, { url, headers: { authorization: 'Bearer of-the-new-place', 'X-KEY': null } })
      expect(moved).toMatchObject({ status: 200, body: { url, headers: { authorization: MASK } } })
      expect((await rowOf(id)).opened).toEqual({ authorization: 'Bearer of-the-new-place' })
      expect(await update(id, { url: RECEIVER, headers: null })).toMatchObject({ status: 200, body: { headers: {} } })
      expect(await update(id, { url })).toMatchObject({ status: 200 })
    },
  )

  test('within the origin needs none', async () => {
    const { id } = (await create({ headers: { Authorization: TOKEN } })).body
    for (const url of ['http://127.0.0.1:9/other?x=1', 'http://127.1:9/']) {
      expect(await update(id, { url }), url).toMatchObject({ status: 200, body: { headers: { Authorization: MASK } } })
    }
  })
})

describe('a header that is refused at creation and at update, with its field named', () => {
  const TOKEN_RULE = "must be a token: letters, digits and !#$%&'*+-.^_`|~"
  const OURS = 'the service sets this header itself, or it is about the connection'
  const VALUE_RULE = 'must be printable ASCII, without line breaks and other control characters, and without spaces at its ends'
  const names: [name: string, rule: string][] = [
    ...['', 'X Y', 'X:Y', 'X\r\nHost', 'X\nY', 'X\tY', 'Ünïcode', '(X)', 'X,Y', '"X"', 'X/Y', 'X[0]', '\u007f'].map(
      (name): [string, string] => [name, TOKEN_RULE],
    ),
    ['X'.repeat(101), 'must have at most 100 characters'],
    ['X'.repeat(64_000), 'must have at most 100 characters'],
    ...['Content-Type', 'content-length', 'CONTENT-ENCODING', 'Host', 'User-Agent', 'Date', 'Expect', 'traceparent', 'TraceState'].map(
      (name): [string, string] => [name, OURS],
    ),
    ...['X-Service-Event', 'x-service-signature', 'X-Service-', 'webhook-id', 'Webhook-Signature', 'WEBHOOK-anything'].map(
      (name): [string, string] => [name, OURS],
    ),
    ...[
      'Connection',
      'Keep-Alive',
      'Proxy-Authorization',
      'Proxy-Connection',
      'proxy-',
      'TE',
      'Trailer',
      'Transfer-Encoding',
      'Upgrade',
      'HTTP2-Settings',
    ].map((name): [string, string] => [name, OURS]),
  ]
  test.each(names.map(([name, rule]) => [JSON.stringify(name.slice(0, 30)), name, rule]))('the name %s', async (_shown, name, rule) => {
    await expectRefused({ [name]: 'value' }, `headers.${name}`, `has an invalid name: ${rule}`)
  })

  test.each([
    ['CR LF', 'one\r\nX-Injected: yes'],
    ['LF', 'one\nX-Injected: yes'],
    ['CR', 'one\rX-Injected: yes'],
    ['CR LF at its end', 'one\r\n'],
    ['a tab', 'one\ttwo'],
    ['ESC', 'one\u001b[31m'],
    ['DEL', 'one\u007f'],
    ['Latin-1', 'grün'],
    ['another script', '世界'],
    ['a line separator', 'one\u2028two'],
    ['a space before it', ' one'],
    ['a space after it', 'one '],
    ['a space alone', ' '],
  ])('a value with %s', async (_what, value) => {
    await expectRefused({ 'X-Key': value }, 'headers.X-Key', VALUE_RULE)
  })

  test.each<[string, unknown, string]>([
    ['NUL', 'one\u0000two', 'must not contain NUL'],
    ['no character', '', 'must have at least 1 characters'],
    ['4,097 characters', 'v'.repeat(4_097), 'must have at most 4096 characters'],
    ['64 KB', 'v'.repeat(65_536), 'must have at most 4096 characters'],
    ['another type', 5, 'must be a string'],
    ['a list', ['one', 'two'], 'must be a string'],
    [
      'the mask',
      MASK,
      'must not be the mask that the API shows instead of the value: send the real value, or leave the header out to keep it',
    ],
  ])('a value with %s', async (_what, value, detail) => {
    await expectRefused({ 'X-Key': value }, 'headers.X-Key', detail)
  })

  test('a name given twice but for case', async () => {
    await expectRefused({ 'X-Key': 'one', 'x-KEY': 'two' }, 'headers.x-KEY', 'must be given once: names compare without case')
  })

  test('too many, and too many bytes in all', async () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'value']))
    await expectRefused(many, 'headers', 'must be at most 20 headers')
    const large = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`X-${index}`, 'v'.repeat(4_000)]))
    await expectRefused(large, 'headers', 'must have at most 16,384 bytes of names and values in all')
  })

  test('what is no object', async () => {
    for (const headers of ['Authorization: Basic x', ['Authorization'], 5]) await expectRefused(headers, 'headers', 'must be an object')
    // At update null removes all.
    expect(await create({ headers: null })).toMatchObject(refusal('headers', 'must be an object'))
  })

  test('the largest that are allowed are not', async () => {
    const headers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${'X'.repeat(98)}${index + 10}`, 'v'.repeat(719)]))
    expect(await create({ headers })).toMatchObject({ status: 201 })
    expect(await create({ headers: { "!#$%&'*+-.^_`|~09AZaz": '!"# ~', 'X-Long': 'v'.repeat(4_096), Cookie: 'a=b; c=d' } })).toMatchObject({
      status: 201,
    })
  })
})

async function expectRefused(headers: unknown, field: string, detail: string): Promise<void> {
  const { id } = (await create({ headers: { 'X-Before': 'value-before' } })).body
  for (const answer of [await create({ headers }), await update(id, { headers })]) expect(answer).toMatchObject(refusal(field, detail))
  expect((await rowOf(id)).opened).toEqual({ 'X-Before': 'value-before' })
}

function refusal(field: string, detail: string) {
  return { status: 400, body: { code: 'validation_error', errors: [{ field, detail }] } }
}

function create(fields: object) {
  return ask('POST', '', { url: RECEIVER, events: ['*'], ...fields })
}

function update(id: string, fields: object) {
  return ask('PATCH', `${id}/`, fields)
}

function ask(method: string, path: string, body?: unknown) {
  return service.send(method, webhooks + path, { token: team.token, ...(body !== undefined && { body }) })
}

async function rowOf(id: string): Promise<{ header_names: string[]; opened: Record<string, string> | null }> {
  const [row] = await service.database.run<{ header_names: string[]; header_values: string | null }>(
    'select header_names, header_values from webhook_endpoints where id = $1',
    [id],
  )
  const { header_names = [], header_values = null } = row ?? {}
  if (header_values === null) return { header_names, opened: null }
  return { header_names, opened: JSON.parse(service.secretBox.open('webhook-headers', Buffer.from(header_values, 'base64'), id)) }
}
