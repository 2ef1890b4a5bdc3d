import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { walkIds } from '../support/walk-pages.ts'

const RECEIVER = 'http://127.0.0.1:9/hooks'
const PUBLIC_KEY = /^whpk_[A-Za-z0-9+/]{43}=$/

let service: TestService
let team: Team
let webhooks: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  webhooks = `/api/v1/teams/${team.id}/webhooks/`
})
afterAll(() => service.close())

test('the secret of an endpoint is in the response to its creation and nowhere else', async () => {
  const made = await create({ url: RECEIVER, events: ['submission.approved'], description: 'CRM' })
  expect(made).toMatchObject({
    status: 201,
    body: {
      url: RECEIVER,
      events: ['submission.approved'],
      description: 'CRM',
      project_id: null,
      state: 'active',
      consecutive_failures: 0,
    },
  })
  const { secret, ...shown } = made.body
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(shown.secret_hint).toBe(secret.slice(-4))
  expect(made.headers.get('location')).toBe(`${webhooks}${shown.id}/`)
  expect((await service.send('GET', `${webhooks}${shown.id}/`, { token: team.token })).body).toEqual(shown)
  expect((await service.send('GET', webhooks, { token: team.token })).body.results).toContainEqual(shown)
  const changed = await service.send('PATCH', `${webhooks}${shown.id}/`, { token: team.token, body: { description: null } })
  expect(changed.body).toEqual({ ...shown, description: null, updated_at: changed.body.updated_at })
  const rows = await service.database.run<{ row: string }>('select e::text as row from webhook_endpoints e', [])
  const audit = await service.database.run<{ row: string }>('select a::text as row from audit_entries a', [])
  expect([...rows, ...audit].filter(({ row }) => row.includes(secret.slice('whsec_'.length)))).toEqual([])
})

test('forbidden addresses are refused at registration and at an update', async () => {
  const wrong: [string, string][] = [
    ['http://10.0.0.1/', 'blocked_address'],
    ['http://0x0a000001/', 'blocked_address'],
    ['http://[::ffff:10.0.0.1]/', 'blocked_address'],
    ['http://169.254.169.254/latest/meta-data/', 'blocked_address'],
    ['https://user:secret@127.0.0.1/', 'credentials_in_url'],
    ['http://127.0.0.1:0/', 'invalid_port'],
    ['ftp://127.0.0.1/', 'invalid_format'],
    ['http://', 'invalid_format'],
    ['', 'invalid_format'],
  ]
  const { id } = (await create({ url: RECEIVER, events: ['*'] })).body
  for (const [url, code] of wrong) {
    const refusal = { status: 400, body: { code: 'validation_error', errors: [{ field: 'url', code }] } }
    expect(await create({ url, events: ['*'] }), url).toMatchObject(refusal)
    expect(await service.send('PATCH', `${webhooks}${id}/`, { token: team.token, body: { url } }), url).toMatchObject(refusal)
  }
})

test('an endpoint can be limited to one project of its own team', async () => {
  const { project_id } = team.project
  expect(await create({ url: RECEIVER, events: ['*'], project_id })).toMatchObject({ status: 201, body: { project_id } })
  const other = await makeTeam(service.database)
  expect(await create({ url: RECEIVER, events: ['*'], project_id: other.project.project_id })).toMatchObject({ status: 404 })
  const { id } = (await create({ url: RECEIVER, events: ['*'] })).body
  const body = { project_id: other.project.project_id }
  expect(await service.send('PATCH', `${webhooks}${id}/`, { token: team.token, body })).toMatchObject({ status: 404 })
})

test('an event creates one delivery per matching endpoint, skipped where it cannot be sent', async () => {
  const own = await makeTeam(service.database)
  const elsewhere = await service.client(own.token).projects.create({ team_id: own.id, name: 'Elsewhere' })
  const client = service.client(own.token)
  const make = (fields: object) => client.webhooks.create({ team_id: own.id, url: RECEIVER, events: ['*'], ...fields })
  const all = await make({})
  const created = await make({ events: ['submission.created', 'video.ready'], project_id: own.project.project_id })
  const paused = await make({})
  await client.webhooks.update({ team_id: own.id, webhook_id: paused.id, state: 'paused' })
  const disabled = await make({})
  await service.database.run("update webhook_endpoints set state = 'disabled' where id = $1", [disabled.id])
  await make({ events: ['submission.approved'] })
  await make({ project_id: elsewhere.id })
  const deleted = await make({})
  await client.webhooks.delete({ team_id: own.id, webhook_id: deleted.id })

  await own.submit()
  expect(await deliveriesOf(own)).toEqual({
    [all.id]: 'pending',
    [created.id]: 'pending',
    [paused.id]: 'skipped',
    [disabled.id]: 'skipped',
  })

  await client.webhooks.update({ team_id: own.id, webhook_id: paused.id, state: 'active' })
  await service.database.run("update teams set plan = 'free' where id = $1", [own.id])
  await service.database.run('delete from webhook_deliveries where team_id = $1', [own.id])
  await own.submit()
  expect(new Set(Object.values(await deliveriesOf(own)))).toEqual(new Set(['skipped']))
})

test('resuming a disabled endpoint resets its failures; the state disabled cannot be set', async () => {
  const { id } = (await create({ url: RECEIVER, events: ['*'] })).body
  await service.database.run(
    "update webhook_endpoints set state = 'disabled', disabled_reason = 'no success', consecutive_failures = 12, failing_since = now(), first_failed_at = now(), last_failed_at = now() where id = $1",
    [id],
  )
  const path = `${webhooks}${id}/`
  expect((await service.send('GET', path, { token: team.token })).body).toMatchObject({ state: 'disabled', disabled_reason: 'no success' })
  const renamed = await service.send('PATCH', path, { token: team.token, body: { description: 'Still' } })
  expect(renamed.body).toMatchObject({ state: 'disabled', disabled_reason: 'no success', consecutive_failures: 12 })
  const resumed = await service.send('PATCH', path, { token: team.token, body: { state: 'active' } })
  expect(resumed.body).toMatchObject({ state: 'active', disabled_reason: null, consecutive_failures: 0 })
  const [row] = await service.database.run('select failing_since, first_failed_at, last_failed_at from webhook_endpoints where id = $1', [
    id,
  ])
  expect(row).toEqual({ failing_since: null, first_failed_at: null, last_failed_at: null })
  expect(await service.send('PATCH', path, { token: team.token, body: { state: 'disabled' } })).toMatchObject({ status: 400 })
})

test('a plan limits the endpoints: of ten concurrent callers exactly one gets the last', async () => {
  const own = await makeTeam(service.database, { plan: 'pro' })
  const make = () => service.send('POST', `/api/v1/teams/${own.id}/webhooks/`, { token: own.token, body: { url: RECEIVER, events: ['*'] } })
  for (let count = 0; count < 9; count += 1) expect((await make()).status).toBe(201)
  const answers = await Promise.all(Array.from({ length: 10 }, make))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(402)])
  const refused = answers.find(({ status }) => status === 402)
  expect(refused?.body).toMatchObject({ code: 'quota_exceeded', quota: 'webhook_endpoints', limit: 10, used: 10, resets_at: null })
})

test('a rotation shows the new secret once; the previous one signs too for a day, older ones no longer', async () => {
  const { secret: first, ...made } = (await create({ url: RECEIVER, events: ['*'] })).body
  const rotate = () => service.send('POST', `${webhooks}${made.id}/rotate-secret/`, { token: team.token })
  const { secret: second } = (await rotate()).body
  const { status, body } = await rotate()
  const { secret: third, ...shown } = body
  expect(new Set([first, second, third]).size).toBe(3)
  expect(third).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect([status, shown]).toEqual([
    200,
    {
      ...made,
      secret_hint: third.slice(-4),
      previous_secret_expires_at: expect.any(String),
      public_key: expect.stringMatching(PUBLIC_KEY),
      previous_public_key: expect.stringMatching(PUBLIC_KEY),
      updated_at: expect.any(String),
    },
  ])
  expect(new Set([made.public_key, shown.public_key, shown.previous_public_key]).size).toBe(3)
  const lastsMs = Date.parse(shown.previous_secret_expires_at) - Date.now()
  expect(lastsMs / 3_600_000).toBeCloseTo(24, 1)
  expect((await service.send('GET', `${webhooks}${made.id}/`, { token: team.token })).body).toEqual(shown)
  const [row] = await service.database.run<Record<'secret' | 'previous_secret', string>>(
    'select secret, previous_secret from webhook_endpoints where id = $1',
    [made.id],
  )
  const opened = [row?.secret, row?.previous_secret].map((sealed = '') =>
    service.secretBox.open('webhook-secret', Buffer.from(sealed, 'base64'), made.id),
  )
  expect(opened).toEqual([third, second])
})

test("a secret of one's own signs, is sealed like any other, and a rotation to the same one changes nothing", async () => {
  const [own, next] = [24, 64].map((bytes) => `whsec_${randomBytes(bytes).toString('base64')}`) as [string, string]
  const { status, body: made } = await create({ url: RECEIVER, events: ['*'], secret: own })
  expect([status, made.secret, made.secret_hint]).toEqual([201, own, own.slice(-4)])
  const rotate = (secret: string) => service.send('POST', `${webhooks}${made.id}/rotate-secret/`, { token: team.token, body: { secret } })
  const rotated = await rotate(next)
  expect(rotated).toMatchObject({ status: 200, body: { secret: next, previous_secret_expires_at: expect.any(String) } })
  expect((await rotate(next)).body).toEqual(rotated.body)
  await expectSecrets(made.id, next, own)

  // Of many at once, one rotates.
  const last = `whsec_${randomBytes(32).toString('base64')}`
  const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(last)))
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body.updated_at])))).toHaveLength(1)
  await expectSecrets(made.id, last, next)
})

test('the private key of an endpoint is sealed for it alone, and shown nowhere', async () => {
  const { body: made } = await create({ url: RECEIVER, events: ['*'] })
  expect(made).toMatchObject({ public_key: expect.stringMatching(PUBLIC_KEY), previous_public_key: null })
  await service.send('POST', `${webhooks}${made.id}/rotate-secret/`, { token: team.token })
  const [row] = await service.database.run<Record<'signing_key' | 'previous_signing_key' | 'public_key', string>>(
    'select signing_key, previous_signing_key, public_key from webhook_endpoints where id = $1',
    [made.id],
  )
  const open = (sealed = '', purpose = 'webhook-signing-key', id = made.id) =>
    service.secretBox.open(purpose, Buffer.from(sealed, 'base64'), id)
  const keys = [row?.signing_key, row?.previous_signing_key].map((sealed) => open(sealed))
  expect(keys.map(publicKeyOf)).toEqual([row?.public_key, made.public_key])
  expect(() => open(row?.signing_key, 'webhook-secret')).toThrow('altered')
  expect(() => open(row?.signing_key, 'webhook-signing-key', team.id)).toThrow('altered')
  const rows = await service.database.run<{ row: string }>('select e::text as row from webhook_endpoints e', [])
  const audit = await service.database.run<{ row: string }>('select a::text as row from audit_entries a', [])
  for (const key of [...keys, row?.signing_key ?? '']) {
    expect([...(key === row?.signing_key ? [] : rows), ...audit].filter((text) => text.row.includes(key))).toEqual([])
  }
})

test('an endpoint from before key pairs has none until its secret is rotated', async () => {
  const { id } = (await create({ url: RECEIVER, events: ['*'] })).body
  await service.database.run('update webhook_endpoints set signing_key = null, public_key = null where id = $1', [id])
  const path = `${webhooks}${id}/`
  expect((await service.send('GET', path, { token: team.token })).body).toMatchObject({ public_key: null, previous_public_key: null })
  const rotated = await service.send('POST', `${path}rotate-secret/`, { token: team.token })
  expect(rotated.body).toMatchObject({ public_key: expect.stringMatching(PUBLIC_KEY), previous_public_key: null })
})

/** The public key that belongs to a private one, as the API shows it. */
function publicKeyOf(pkcs8: string): string {
  const key = createPublicKey(createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' }))
  return `whpk_${Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`
}

async function expectSecrets(id: string, current: string, previous: string): Promise<void> {
  const sealed = await service.database.run<{ secret: string; previous_secret: string }>(
    'select secret, previous_secret from webhook_endpoints where id = $1',
    [id],
  )
  const open = (text: string | undefined) => service.secretBox.open('webhook-secret', Buffer.from(text ?? '', 'base64'), id)
  expect([open(sealed[0]?.secret), open(sealed[0]?.previous_secret)]).toEqual([current, previous])
}

test.each([
  ['too short', `whsec_${Buffer.alloc(23).toString('base64')}`],
  ['too long', `whsec_${Buffer.alloc(65).toString('base64')}`],
  ['without its prefix', Buffer.alloc(32).toString('base64')],
  ['in base64url', `whsec_${'_-'.repeat(16)}`],
  ['with a line break', `whsec_${Buffer.alloc(32).toString('base64')}\n`],
  ['empty', ''],
])('a secret that is %s is refused, and not repeated in the response', async (_what, secret) => {
  const { id } = (await create({ url: RECEIVER, events: ['*'] })).body
  const answers = [
    await create({ url: RECEIVER, events: ['*'], secret }),
    await service.send('POST', `${webhooks}${id}/rotate-secret/`, { token: team.token, body: { secret } }),
  ]
  for (const { status, body } of answers) {
    const { field, detail } = body.errors[0]
    expect([status, body.code, field, detail]).toEqual([400, 'validation_error', 'secret', 'must be whsec_ and 24 to 64 bytes in base64'])
    if (secret !== '') expect(JSON.stringify(body)).not.toContain(secret.trim().slice(10, 40))
  }
})

test('a deleted endpoint is gone; endpoints are listed newest first', async () => {
  const own = await makeTeam(service.database)
  const path = `/api/v1/teams/${own.id}/webhooks/`
  const made: string[] = []
  for (let count = 0; count < 4; count += 1) {
    made.push((await service.send('POST', path, { token: own.token, body: { url: RECEIVER, events: ['*'] } })).body.id)
  }
  const [first = '', ...others] = made
  expect((await service.send('DELETE', `${path}${first}/`, { token: own.token })).status).toBe(204)
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    expect((await service.send(method, `${path}${first}/`, { token: own.token })).status, method).toBe(404)
  }
  expect(await walkIds(service, path, { token: own.token, query: { limit: '2' } })).toEqual(others.toReversed())
})

function create(body: Record<string, unknown>) {
  return service.send('POST', webhooks, { token: team.token, body })
}

/** The states of a team's deliveries by endpoint. */
async function deliveriesOf({ id }: Team): Promise<Record<string, string>> {
  const rows = await service.database.run<{ endpoint_id: string; state: string }>(
    'select endpoint_id, state from all_webhook_deliveries where team_id = $1',
    [id],
  )
  return Object.fromEntries(rows.map(({ endpoint_id, state }) => [endpoint_id, state]))
}
