import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { finishDeliveries } from '../support/finish-deliveries.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { walkIds, walkPages } from '../support/walk-pages.ts'

const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString()

let service: TestService
let team: Team
let endpoint: { team_id: string; webhook_id: string }
let deliveries: string
let attempts: string
let blind: string
let seeing: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  blind = await team.tokenOf('admin', ['read:webhooks'])
  seeing = await team.tokenOf('admin', ['read:webhooks', 'read:contacts'])
  const client = service.client(team.token)
  const { id } = await client.webhooks.create({ team_id: team.id, url: 'http://127.0.0.1:9/hooks', events: ['*'] })
  endpoint = { team_id: team.id, webhook_id: id }
  deliveries = `/api/v1/teams/${team.id}/webhooks/${id}/deliveries/`
  attempts = `/api/v1/teams/${team.id}/webhooks/${id}/attempts/`
  for (let count = 0; count < 6; count += 1) {
    const { id: submission_id } = await team.submit({ author_email: 'secret@example.com' })
    if (count % 2 === 0) await client.submissions.approve({ ...team.project, submission_id })
  }
  await finishDeliveries(service.database, 'failed', "event_type = 'submission.approved'")
})
afterAll(() => service.close())

test('a delivery shows its event as sent, with the digest of the bytes', async () => {
  const [delivery] = (await service.send('GET', deliveries, { token: team.token })).body.results
  const shown = await service.send('GET', `${deliveries}${delivery.id}/`, { token: team.token })
  expect(shown.body).toEqual(delivery)
  const [event] = await service.database.run<{ payload: string }>('select payload from events where id = $1', [delivery.event_id])
  expect(delivery).toMatchObject({ endpoint_id: endpoint.webhook_id, attempt_count: 0, replay_of: null, replay_id: null })
  expect(delivery.payload).toEqual(JSON.parse(event?.payload ?? ''))
  expect(delivery.payload_sha256).toBe(
    createHash('sha256')
      .update(event?.payload ?? '')
      .digest('hex'),
  )
})

test('only callers with read:contacts see the e-mail address in a payload; the stored bytes keep it', async () => {
  for (const [token, email] of [
    [blind, null],
    [seeing, 'secret@example.com'],
  ] as const) {
    const { results } = (await service.send('GET', deliveries, { token })).body
    const shown = await service.send('GET', `${deliveries}${results[0].id}/`, { token })
    for (const { payload } of [...results, shown.body]) expect(payload.data.submission.author.email).toBe(email)
  }
})

test('deliveries are filtered by state, type and event, newest first, in pages', async () => {
  const all = (await service.send('GET', `${deliveries}?limit=100`, { token: team.token })).body.results
  expect(all).toHaveLength(9)
  const ids = (lets: (one: Record<'state' | 'event_type' | 'event_id' | 'created_at', string>) => boolean) =>
    all.filter(lets).map(({ id }: { id: string }) => id)
  const list = (query: Record<string, string>) => walkIds(service, deliveries, { token: team.token, query: { limit: '2', ...query } })
  expect(await list({})).toEqual(ids(() => true))
  expect(await list({ state: 'failed' })).toEqual(ids(({ state }) => state === 'failed'))
  expect(await list({ event_type: 'submission.created' })).toEqual(ids(({ event_type }) => event_type === 'submission.created'))
  expect(await list({ event_id: all[3].event_id })).toEqual([all[3].id])
  expect(await list({ event_type: 'submission.approved', state: 'pending' })).toEqual([])
  expect(await list({ created_after: '2999-01-01T00:00:00Z' })).toEqual([])
  expect(await list({ created_before: all[3].created_at })).toEqual(ids(({ created_at }) => created_at < all[3].created_at))
  expect(await list({ created_after: all[3].created_at })).toEqual(ids(({ created_at }) => created_at >= all[3].created_at))
  expect(await list({ replay_id: all[0].id })).toEqual([])
})

test('a redelivery is a new delivery of the same event, due at once, with its own Location', async () => {
  const [first] = (await service.send('GET', `${deliveries}?state=failed`, { token: team.token })).body.results
  const made = await service.send('POST', `${deliveries}${first.id}/redeliver/`, { token: team.token })
  const { event_id, event_type, payload, payload_sha256 } = first
  expect(made).toMatchObject({
    status: 201,
    body: { event_id, event_type, payload, payload_sha256, replay_of: first.id, state: 'pending' },
  })
  expect(made.body.id).not.toBe(first.id)
  expect(Date.parse(made.body.next_attempt_at)).toBeLessThanOrEqual(Date.now())
  expect(made.headers.get('location')).toBe(`${deliveries}${made.body.id}/`)
  expect((await service.send('GET', made.headers.get('location') ?? '', { token: team.token })).body).toEqual(made.body)
  const [row] = await service.database.run('select trigger from webhook_deliveries where id = $1', [made.body.id])
  expect(row).toEqual({ trigger: 'manual' })
})

test('nothing is sent again to an endpoint that is not active', async () => {
  const client = service.client(team.token)
  const [first] = (await service.send('GET', deliveries, { token: team.token })).body.results
  await client.webhooks.update({ ...endpoint, state: 'paused' })
  const refused = await service.send('POST', `${deliveries}${first.id}/redeliver/`, { token: team.token })
  expect(refused).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'paused' } })
  await client.webhooks.update({ ...endpoint, state: 'active' })
})

test('an attempt shows the response, and is filtered by delivery, status and outcome', async () => {
  const [first, second] = (await service.send('GET', deliveries, { token: team.token })).body.results
  const answered = await insertAttempt(first.id, {
    status_code: 200,
    response_body: Buffer.from('{"ok":true}'),
    response_body_bytes: 5_000_000_000,
  })
  const refused = await insertAttempt(first.id, { status_code: 500, response_body: Buffer.from([0x68, 0x69, 0xff, 0x00]) })
  const failed = await insertAttempt(second.id, { error_code: 'connection_refused' })
  const redirected = await insertAttempt(second.id, { status_code: 302, error_code: 'redirect' })
  const running = await insertAttempt(second.id, {}, false)
  const list = (query: Record<string, string>) => walkIds(service, attempts, { token: team.token, query: { limit: '2', ...query } })
  expect(await list({})).toEqual([running, redirected, failed, refused, answered])
  expect(await list({ delivery_id: first.id })).toEqual([refused, answered])
  expect(await list({ status_code: '500' })).toEqual([refused])
  expect(await list({ outcome: 'succeeded' })).toEqual([answered])
  expect(await list({ outcome: 'failed' })).toEqual([redirected, failed, refused])
  expect(await list({ outcome: 'failed', delivery_id: second.id, status_code: '302' })).toEqual([redirected])
  expect(await list({ created_after: HOUR_AGO })).toEqual([running, redirected, failed, refused, answered])
  expect(await list({ created_before: HOUR_AGO })).toEqual([])
  expect(await list({ created_after: HOUR_AGO, created_before: '2999-01-01T00:00:00Z', outcome: 'succeeded' })).toEqual([answered])

  const [pages] = await walkPages(service, attempts, { token: team.token })
  expect(pages).toMatchObject([
    { id: running, duration_ms: null, status_code: null, response_body: null, response_body_bytes: null, error: null },
    { id: redirected, status_code: 302, error: { code: 'redirect' } },
    { id: failed, status_code: null, error: { code: 'connection_refused' } },
    { id: refused, status_code: 500, response_body: 'hi\ufffd\u0000', error: null },
    {
      id: answered,
      delivery_id: first.id,
      status_code: 200,
      response_body: '{"ok":true}',
      response_body_bytes: 5_000_000_000,
      response_headers: { 'x-seen': 'yes' },
    },
  ])
})

test('deliveries of a deleted endpoint stay readable', async () => {
  const client = service.client(team.token)
  const doomed = await client.webhooks.create({ team_id: team.id, url: 'http://127.0.0.1:9/hooks', events: ['*'] })
  const path = attempts.replace(endpoint.webhook_id, doomed.id)
  const attempt = await insertAttempt(doomed.id, { status_code: 200 }, true, doomed.id)
  await client.webhooks.delete({ team_id: team.id, webhook_id: doomed.id })
  expect(await walkIds(service, path, { token: team.token })).toEqual([attempt])
})

async function insertAttempt(
  delivery: string,
  fields: Record<string, unknown>,
  isFinished = true,
  webhook = endpoint.webhook_id,
): Promise<string> {
  const { status_code = null, response_body = null, response_body_bytes = null, error_code = null } = fields
  const [row] = await service.database.run<{ id: string }>(
    `insert into webhook_attempts (team_id, delivery_id, endpoint_id, number, trigger, worker_id, status_code, response_body, error_code,
                                   response_headers, finished_at, duration_ms, response_body_bytes)
     values ($1, $2, $3, 1, 'auto', 1, $4, $5, $6, '{"x-seen": "yes"}', case when $7::boolean then now() end, case when $7::boolean then 12 end, $8)
     returning id`,
    [team.id, delivery, webhook, status_code, response_body, error_code, isFinished, response_body_bytes],
  )
  return row?.id ?? ''
}
