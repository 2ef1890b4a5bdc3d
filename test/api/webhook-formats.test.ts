import { createHash, createHmac } from 'node:crypto'
import { eventTypes, WebhookFormat } from '@earshot/contracts'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { earshot } from '../cli/command-line.ts'
import { isSignedBy } from '../support/key-pairs.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { type Received, startReceiver } from '../support/receiver.ts'
import { startTestDispatcher, type TestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const CHATS = WebhookFormat.exclude(['earshot']).options
const OTHER = 'http://127.0.0.1:9/hooks'

/** What tells the bodies of the formats apart. */
const shapes = {
  earshot: { api_version: 'v1' },
  slack: { text: expect.any(String), blocks: expect.any(Array) },
  discord: { embeds: [expect.any(Object)], allowed_mentions: { parse: [] } },
  teams: { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } }] },
} as const

let service: TestService
let worker: TestDispatcher
let team: Team
beforeAll(async () => {
  // Addresses of chats are not looked up: no test reaches them.
  const checkReceiver = async (url: string) => ({ ok: true as const, url, isLocalTrial: false })
  service = await startTestService({ onCommit: () => worker?.dispatcher.nudge(), services: { checkReceiver } })
  worker = await startTestDispatcher(service)
})
beforeEach(async () => {
  team = await makeTeam(service.database, { plan: 'business' })
})
afterAll(async () => {
  await worker.stop()
  await service.close()
})

test('an endpoint gets events unless it was given another format, at its creation or later', async () => {
  const { body: made } = await create({ url: OTHER })
  expect(made.format).toBe('earshot')
  const changed = await update(made.id, { format: 'slack' })
  expect(changed).toMatchObject({ status: 200, body: { format: 'slack' } })
  expect((await update(made.id, { description: 'Chat' })).body.format).toBe('slack')
  expect((await create({ url: OTHER, format: 'teams' })).body.format).toBe('teams')
  expect(await create({ url: OTHER, format: 'irc' })).toMatchObject({ status: 400, body: { errors: [{ field: 'format' }] } })
  const audited = await service.database.run<{ changes: object }>(
    "select changes from audit_entries where action = 'webhook.updated' and target_id = $1 order by id",
    [made.id],
  )
  expect(audited[0]?.changes).toEqual({ format: { from: 'earshot', to: 'slack' } })
})

const SLACK = 'https://hooks.slack.com/services/T0/B0/x'
const DISCORD = 'https://discord.com/api/webhooks/1/x'

test.each([
  [SLACK, 'slack'],
  ['https://hooks.slack-gov.com/services/T0/B0/x', 'slack'],
  ['https://hooks.slack.com./workflows/T0/x', 'slack'],
  [DISCORD, 'discord'],
  ['https://discordapp.com/api/webhooks/1/x?wait=true', 'discord'],
  ['https://canary.discord.com/api/v10/webhooks/1/x', 'discord'],
  ['https://ptb.discord.com/api/webhooks/1/x', 'discord'],
  ['https://discord.com/api/webhooks/1/x/slack', 'slack'],
  ['https://acme.webhook.office.com/webhookb2/x', 'teams'],
] as const)('%s takes the format %s and no other', async (url, wanted) => {
  const { id } = (await create({ url: OTHER, format: wanted })).body
  for (const format of WebhookFormat.options) {
    const other = (await create({ url: OTHER, format })).body
    const answers = [await create({ url, format }), await update(other.id, { url }), await update(id, { url, format })]
    if (format === wanted) {
      expect(answers).toMatchObject([{ status: 201 }, { status: 200 }, { status: 200 }])
      continue
    }
    for (const { status, body } of answers) {
      expect([status, body.errors]).toEqual([
        400,
        [
          {
            field: 'format',
            code: 'wrong_format',
            detail: expect.stringMatching(new RegExp(`^must be ${wanted}, .*send "format": "${wanted}"$`)),
          },
        ],
      ])
    }
    // Nothing of a refused change stays.
    expect((await service.send('GET', `${hooks()}${other.id}/`, { token: team.token })).body.url).toBe(OTHER)
  }
  expect(await create({ url })).toMatchObject({ status: 400, body: { errors: [{ field: 'format' }] } })
})

test.each([
  'https://chat.example.com/hooks/x',
  'https://discord.com/hooks/x',
  'https://notdiscord.com/api/webhooks/1/x',
  'https://hooks.slack.com.example.com/x',
  'https://prod-1.westeurope.logic.azure.com/workflows/x/triggers/manual/paths/invoke',
])('%s takes any format', async (url) => {
  for (const format of WebhookFormat.options) expect((await create({ url, format })).status).toBe(201)
})

test('an endpoint whose address was allowed before can still be changed otherwise', async () => {
  const { id } = (await create({ url: OTHER })).body
  await service.database.run('update webhook_endpoints set url = $2 where id = $1', [id, SLACK])
  expect((await update(id, { state: 'paused' })).status).toBe(200)
  expect((await update(id, { format: 'discord' })).status).toBe(400)
  expect((await update(id, { format: 'slack' })).status).toBe(200)
})

test.each(WebhookFormat.options)(
  'an endpoint with the format %s gets each type of event in it, signed over the bytes sent',
  async (format) => {
    await using receiver = await startReceiver()
    const endpoint = (await create({ url: `${receiver.url}/`, format })).body
    const expectSent = async (type: string | undefined) => {
      const path = `${hooks()}${endpoint.id}`
      const answer = await service.send('POST', `${path}/test/`, { token: team.token, body: type === undefined ? {} : { type } })
      expect(answer).toMatchObject({ status: 200, body: { status_code: 200 } })
      const { delivery_id } = answer.body
      const request = receiver.requests.find(({ headers }) => headers['x-service-delivery'] === delivery_id)
      expectSigned(request, endpoint, format, type ?? 'webhook.test')
      const delivery = (await service.send('GET', `${path}/deliveries/${delivery_id}/`, { token: team.token })).body
      const [event] = await service.database.run<{ payload: string }>('select payload from events where id = $1', [delivery.event_id])
      expect(delivery.payload).toEqual(JSON.parse(event?.payload ?? ''))
      expect(delivery.payload_sha256).toBe(
        createHash('sha256')
          .update(event?.payload ?? '')
          .digest('hex'),
      )
      if (format === 'earshot') expect(String(request?.body)).toBe(event?.payload)
    }
    await Promise.all([undefined, ...eventTypes].map(expectSent))
    expect(receiver.requests).toHaveLength(1 + eventTypes.length)
  },
)

/** Checks the headers, the shape and the signatures of a request. */
function expectSigned(
  request: Received | undefined,
  { secret, public_key }: { secret: string; public_key: string },
  format: WebhookFormat,
  type: string,
): void {
  const { headers = {}, body = Buffer.alloc(0) } = request ?? {}
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-event': type,
    'x-service-signature': createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(body).digest('hex'),
  })
  const parsed = JSON.parse(String(body))
  expect(parsed).toMatchObject(shapes[format])
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(parsed)
  const signatures = String(headers['webhook-signature']).split(' ')
  expect(signatures.filter((entry) => isSignedBy(entry, request, public_key))).toHaveLength(1)
}

test.each(CHATS)('an event reaches an endpoint with the format %s, and each attempt has the same body', async (format) => {
  const own = await makeTeam(service.database)
  await using receiver = await startReceiver((response) => response.writeHead(receiver.requests.length === 1 ? 503 : 204).end())
  const client = service.client(own.token)
  const { id: webhook_id } = await client.webhooks.create({
    team_id: own.id,
    url: `${receiver.url}/`,
    events: ['submission.created'],
    format,
  })
  const { id } = await own.submit({ body: 'It saved us a week. <!channel>', author_name: 'Ada Lovelace', rating: 5 })
  await expect.poll(() => receiver.requests.length).toBe(2)
  const [first, second] = receiver.requests.map(({ body }) => String(body))
  expect(first).toBe(second)
  expect(first).toContain('Ada Lovelace')
  const [, path = ''] = /https:\/\/feedback\.example(\/[^|")]+)/.exec(first ?? '') ?? []
  expect(await service.send('GET', path, { token: own.token })).toMatchObject({ status: 200, body: { id, state: 'pending' } })
  const [delivery] = await Array.fromAsync(client.webhooks.deliveries.list({ team_id: own.id, webhook_id }))
  expect(delivery?.payload).toMatchObject({ type: 'submission.created', data: { submission: { id } } })

  const [command = ''] = /(?<=earshot )submissions approve [\w -]+/.exec(first ?? '') ?? []
  expect(await earshot(command.split(' '), { url: service.url, env: { EARSHOT_TOKEN: own.token } })).toMatchObject({ exitCode: 0 })
  expect(await service.send('GET', path, { token: own.token })).toMatchObject({ status: 200, body: { id, state: 'approved' } })
})

function hooks(): string {
  return `/api/v1/teams/${team.id}/webhooks/`
}

function create(body: Record<string, unknown>) {
  return service.send('POST', hooks(), { token: team.token, body: { events: ['*'], ...body } })
}

function update(id: string, body: Record<string, unknown>) {
  return service.send('PATCH', `${hooks()}${id}/`, { token: team.token, body })
}
