import type { Worker } from '@earshot/jobs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect, erasePerson, newAddress } from '../support/erasures.ts'
import { openStream } from '../support/event-stream.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

let service: TestService
let worker: Worker
beforeAll(async () => {
  service = await startTestService()
  worker = await startWholeWorker(service)
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 5_000 })
  await service.close()
})

async function deliveriesTo(team: Team, webhook_id: string) {
  return (await collect(service.client(team.token).webhooks.deliveries.list({ team_id: team.id, webhook_id }))).toReversed()
}

test('a receipt tells who requested it, what was erased and who got copies, and the list has it without the address', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  await using receiver = await startReceiver()
  const webhook = await client.webhooks.create({ team_id: team.id, url: receiver.url, events: ['submission.created'] })
  const email = newAddress()
  await team.submit({ author_email: email })
  await team.submit({ author_email: newAddress() })
  await until('both are delivered', async () => (await deliveriesTo(team, webhook.id)).every(({ state }) => state === 'succeeded'))
  const receipt = await erasePerson(service, team, email)
  expect(receipt).toMatchObject({
    counts: { submissions: 1, responses: 0, events: 1, deliveries: 0, attempts: 1 },
    recipients: [{ webhook_id: webhook.id, url: `${receiver.url}/`, deliveries: 1, last_delivered_at: expect.any(String) }],
    requested_by: { id: team.ownerId },
    completed_at: expect.any(String),
  })
  const listed = await collect(client.privacy.requests.list({ team_id: team.id }))
  expect(listed).toEqual([receipt])
  expect(JSON.stringify(listed)).not.toContain(email)
})

test('events of an erased person leave the feed and their deliveries, whose hashes stay', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  await using receiver = await startReceiver()
  const { id: webhook_id } = await client.webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
  const email = newAddress()
  const first = await team.submit({ author_email: newAddress() })
  await team.submit({ author_email: email })
  const last = await team.submit({ author_email: newAddress() })
  const feed = () => client.events.list({ team_id: team.id, types: ['submission.created'] })
  await until('all are in the feed', async () => (await feed()).results.length === 3)
  await until('all are delivered', async () => (await deliveriesTo(team, webhook_id)).every(({ state }) => state === 'succeeded'))
  const before = await feed()
  const hash = (await deliveriesTo(team, webhook_id))[1]?.payload_sha256
  await erasePerson(service, team, email)

  const after = await feed()
  expect(after.results.map(({ data }) => ('submission' in data ? data.submission.id : ''))).toEqual([first.id, last.id])
  expect(after.next_cursor).toBe(before.next_cursor)
  const one = await client.events.list({ team_id: team.id, types: ['submission.created'], limit: 1 })
  const two = await client.events.list({ team_id: team.id, types: ['submission.created'], limit: 1, cursor: one.next_cursor })
  const three = await client.events.list({ team_id: team.id, types: ['submission.created'], limit: 1, cursor: two.next_cursor })
  expect([one, two, three].map(({ results }) => results.length)).toEqual([1, 0, 1])
  const [, erased] = await deliveriesTo(team, webhook_id)
  expect(erased).toMatchObject({ payload: null, payload_sha256: hash, state: 'succeeded' })
  const again = `/api/v1/teams/${team.id}/webhooks/${webhook_id}/deliveries/${erased?.id}/redeliver/`
  expect(await service.send('POST', again, { token: team.token })).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('a stream goes on behind any number of erased events', async () => {
  const team = await makeTeam(service.database)
  const email = newAddress()
  const { next_cursor: start } = await service.client(team.token).events.list({ team_id: team.id })
  for (let number = 0; number < 60; number += 1) await team.submit({ author_email: email, body: `Number ${number}` })
  await team.submit({ author_email: newAddress() })
  await until('all are in the feed', async () => (await service.database.run('select from unnumbered_events', [])).length === 0)
  await erasePerson(service, team, email)
  const stream = await openStream(service, team, { query: `?cursor=${start}` })
  await until('the last event came', () => stream.ids().length === 1)
  stream.close()
})

test('deliveries that were not sent yet are skipped', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  await using receiver = await startReceiver((response) => void response.writeHead(503, { 'retry-after': '3600' }).end('later'))
  const { id: webhook_id } = await client.webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
  const email = newAddress()
  await team.submit({ author_email: email })
  const isWaitingAgain = ({ attempt_count, state }: { attempt_count: number; state: string }) => attempt_count === 1 && state === 'pending'
  await until('the first attempt failed', async () => (await deliveriesTo(team, webhook_id)).some(isWaitingAgain))
  const { counts } = await erasePerson(service, team, email)
  expect(counts).toMatchObject({ deliveries: 1, events: 1 })
  expect(await deliveriesTo(team, webhook_id)).toMatchObject([{ state: 'skipped', payload: null, next_attempt_at: null }])
  expect(await collect(client.webhooks.attempts.list({ team_id: team.id, webhook_id }))).toMatchObject([
    { status_code: 503, response_body: null, response_headers: null },
  ])
})

test('a delivery that is in flight leaves nothing of the receiver’s answer', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const waiting: (() => void)[] = []
  await using receiver = await startReceiver((response, { body }) => void waiting.push(() => response.end(body)))
  const { id: webhook_id } = await client.webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
  const email = newAddress()
  await team.submit({ author_email: email })
  await until('the receiver has it', () => waiting.length === 1)
  await erasePerson(service, team, email)
  for (const answer of waiting) answer()
  await team.submit({ author_email: newAddress() })
  await until('the next one came', () => waiting.length === 2)
  waiting[1]?.()
  await until('the next one is delivered', async () => (await deliveriesTo(team, webhook_id)).some(({ state }) => state === 'succeeded'))
  const attempts = await collect(client.webhooks.attempts.list({ team_id: team.id, webhook_id }))
  expect(attempts.at(-1)).toMatchObject({ response_body: null, error: { code: 'interrupted' } })
  expect(JSON.stringify(attempts)).not.toContain(email)
})

test('invitations and their mails are erased, and the link does not work any more', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  await client.invitations.create({ team_id: team.id, email, role: 'member' })
  expect((await erasePerson(service, team, email)).counts).toMatchObject({ invitations: 1, mails: 1, events: 1 })
  expect(await collect(client.invitations.list({ team_id: team.id }))).toEqual([])
  expect(await service.database.run('select from mails where recipient = $1', [email])).toEqual([])
})

test('the audit log keeps what was done, and forgets the values', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  const { id: submission_id } = await team.submit({ author_email: email })
  await client.submissions.update({ ...team.project, submission_id, tags: ['secret word'] })
  const other = await team.submit({ author_email: newAddress() })
  await client.submissions.update({ ...team.project, submission_id: other.id, metadata: { friend: email } })
  await client.submissions.update({ ...team.project, submission_id: other.id, tags: ['kept'] })
  expect((await erasePerson(service, team, email)).counts).toMatchObject({ audit_entries: 2 })
  const entries = await collect(client.teams.auditLog.list({ team_id: team.id, limit: 100 }))
  expect(entries.find(({ action }) => action === 'privacy.erased')).toMatchObject({ target: { type: 'privacy_request' }, changes: {} })
  const updates = entries.filter(({ action }) => action === 'submission.updated')
  expect(updates.map(({ changes }) => Object.keys(changes))).toEqual([['tags'], [], []])
  expect(updates.at(-1)).toMatchObject({ actor: { id: team.ownerId }, target: { id: submission_id } })
  expect(JSON.stringify(entries)).not.toContain(email)
})

test('a response that was stored for an idempotency key is forgotten', async () => {
  const team = await makeTeam(service.database)
  const email = newAddress()
  const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
  const create = (address: string, key: string) =>
    service.send('POST', path, {
      token: team.token,
      headers: { 'idempotency-key': key },
      body: { kind: 'text', body: 'Lovely', author: { name: 'Ada', email: address } },
    })
  const other = newAddress()
  await create(email, 'erased')
  await create(other, 'kept')
  await create(other, `mail-${email}`)
  expect((await erasePerson(service, team, email)).counts).toMatchObject({ stored_responses: 2 })
  expect((await create(other, 'kept')).headers.get('idempotency-replayed')).toBe('true')
  expect((await create(other, 'erased')).headers.get('idempotency-replayed')).toBe(null)
})
