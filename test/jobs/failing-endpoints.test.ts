import { addTeamMember, type Tx } from '@earshot/db'
import { disableFailingEndpoints } from '@earshot/db/maintenance'
import { createSecretBox, writeMail } from '@earshot/drivers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loseWorker } from '../support/lost-worker.ts'
import { makeUser } from '../support/people.ts'
import { ok, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { asOperator, openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(() => fixture.close())

test('an endpoint is disabled after 5 days without success and 10 failures over 12 hours: all three, to the second', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/hooks')
  const cases: [string, string, number, boolean][] = [
    ['5 days 1 second', '12 hours', 10, true],
    ['4 days 23:59:59', '12 hours', 10, false],
    ['5 days 1 second', '11:59:59', 10, false],
    ['5 days 1 second', '12 hours', 9, false],
    ['5 days 1 second', '4 days', 1000, true],
  ]
  for (const [sinceSuccess, spread, failures, isDisabled] of cases) {
    await fixture.database.client`
      update webhook_endpoints
         set state = 'active', consecutive_failures = ${failures}, last_success_at = now() - ${sinceSuccess}::interval,
             first_failed_at = now() - ${spread}::interval, last_failed_at = now()`
    expect(await disableFailingEndpoints(fixture.database), `${sinceSuccess}, ${spread}, ${failures}`).toEqual(isDisabled ? [id] : [])
  }
})

test('for an endpoint that never succeeded, the 5 days begin at its creation', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/hooks')
  const fail = () => fixture.database.client`
    update webhook_endpoints set consecutive_failures = 10, first_failed_at = now() - interval '13 hours', last_failed_at = now()`
  await fail()
  expect(await disableFailingEndpoints(fixture.database)).toEqual([])
  await fixture.database.client`update webhook_endpoints set id = uuid_at(now() - interval '6 days') where id = ${id}`
  expect(await disableFailingEndpoints(fixture.database)).toHaveLength(1)
})

test('of two workers one alone notifies owners and admins by mail and writes the audit log', async () => {
  const { id } = await fixture.addEndpoint('https://hooks.example.com:8443/secret-path?token=hush')
  for (const role of ['admin', 'member', 'viewer'] as const) {
    await addTeamMember(fixture.database, { team_id: fixture.teamId, userId: (await makeUser(fixture.database)).id, role })
  }
  await makeDue()
  expect(await disabledDuring(async (tx) => expect(await disableFailingEndpoints(tx)).toEqual([id]))).toEqual([])
  const { client } = fixture.database
  expect(await client`select state, disabled_reason from webhook_endpoints`).toEqual([
    { state: 'disabled', disabled_reason: 'No delivery succeeded for 5 days.' },
  ])
  expect(
    await client`select action, target_id, credential_kind, actor_user_id, changes from audit_entries where action like 'webhook%'`,
  ).toEqual([
    {
      action: 'webhook.disabled',
      target_id: id,
      credential_kind: 'system',
      actor_user_id: null,
      changes: { state: { from: 'active', to: 'disabled' } },
    },
  ])
  const mails = await client<{ recipient: string; template: string; fields: unknown; sealed: null }[]>`
    select recipient, template, fields, sealed from mails order by recipient`
  const admins = await client<{ email: string }[]>`
    select u.email from memberships m join users u on u.id = m.user_id where m.role in ('owner', 'admin') order by u.email`
  expect(mails.map(({ recipient }) => recipient)).toEqual(admins.map(({ email }) => email))
  expect(mails).toHaveLength(2)
  for (const mail of mails) {
    const { subject, text } = writeMail(createSecretBox(fixture.secretKey), 'https://feedback.example', mail)
    expect(subject).toContain('Acme')
    expect(text).toContain(id)
    expect(text).toContain('hooks. example. com:8443')
    expect(JSON.stringify(mail)).not.toMatch(/secret-path|hush/)
  }
})

test('failed deliveries are counted with the times of the first and last, and a success resets them', async () => {
  let status = 410
  await using receiver = await startReceiver((response) => (status === 200 ? ok(response) : response.writeHead(status).end()))
  await fixture.addEndpoint(receiver.url)
  await fixture.dispatch()
  await deliver('failed')
  await fixture.database
    .client`update webhook_endpoints set first_failed_at = now() - interval '1 day', last_failed_at = now() - interval '1 hour'`
  await deliver('failed')
  expect(await record()).toMatchObject({ consecutive_failures: 2, first_hours: 24, last_hours: 0 })
  status = 200
  await deliver('succeeded')
  expect(await record()).toMatchObject({ consecutive_failures: 0, first_hours: null, last_hours: null })
})

test.each(['manual', 'test'])('a failed delivery of trigger %s counts for nothing', async (trigger) => {
  await using receiver = await startReceiver((response) => response.writeHead(410).end())
  await fixture.addEndpoint(receiver.url)
  const [id = ''] = await fixture.emit()
  await fixture.database.client`update webhook_deliveries set trigger = ${trigger}`
  await fixture.dispatch()
  await until('it failed', async () => (await fixture.delivery(id)).state === 'failed')
  expect(await record()).toMatchObject({ consecutive_failures: 0, first_hours: null, last_hours: null })
})

test('a delivery whose last attempt was interrupted is not counted', async () => {
  await using receiver = await startReceiver(() => {})
  const { id: endpointId } = await fixture.addEndpoint(receiver.url)
  const [id = ''] = await fixture.emit()
  await fixture.database.client`update webhook_deliveries set attempt_count = 7`
  await fixture.dispatch()
  await until('it is sent', () => receiver.requests.length === 1)
  await loseWorker(fixture.database, endpointId)
  await until('it failed', async () => (await fixture.delivery(id)).state === 'failed')
  expect(await record()).toMatchObject({ consecutive_failures: 0, first_hours: null, last_hours: null })
})

test('a success that is being recorded while the endpoint is checked keeps it active', async () => {
  await fixture.addEndpoint('http://127.0.0.1:9/hooks')
  await makeDue()
  expect(await disabledDuring((tx) => tx.run('update webhook_endpoints set last_success_at = now()', []))).toEqual([])
  expect(await fixture.database.client`select state from webhook_endpoints`).toEqual([{ state: 'active' }])
})

test('events of a disabled endpoint become skipped deliveries', async () => {
  await fixture.addEndpoint('http://127.0.0.1:9/hooks')
  await makeDue()
  await disableFailingEndpoints(fixture.database)
  const [id = ''] = await fixture.emit()
  expect(await fixture.delivery(id)).toMatchObject({ state: 'skipped', next_attempt_at: null })
})

/** Returns what a second worker disables while it waits for the uncommitted transaction of the first. */
async function disabledDuring(work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  const waiting = `select pid from pg_stat_activity where datname = current_database() and query like '%disabled_reason%' and wait_event_type = 'Lock'`
  const { second } = await fixture.database.transaction(async (tx) => {
    await work(tx)
    const coming = disableFailingEndpoints(fixture.database)
    await until('the second waits', async () => (await asOperator(fixture.address, waiting)).length === 1)
    return { second: coming }
  })
  return second
}

async function makeDue(): Promise<void> {
  await fixture.database.client`
    update webhook_endpoints
       set consecutive_failures = 10, last_success_at = now() - interval '6 days',
           first_failed_at = now() - interval '2 days', last_failed_at = now()`
}

async function deliver(state: string): Promise<void> {
  const [id = ''] = await fixture.emit()
  await until(`it ${state}`, async () => (await fixture.delivery(id)).state === state)
}

async function record() {
  const [row] = await fixture.database.client`
    select consecutive_failures,
           round(extract(epoch from now() - first_failed_at) / 3600)::int as first_hours,
           round(extract(epoch from now() - last_failed_at) / 3600)::int as last_hours
      from webhook_endpoints`
  return row
}
