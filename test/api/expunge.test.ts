import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { continueReplay } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { number } from '../support/event-stream.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTestDispatcher, type TestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const WORDS = 'Words that must go'

let service: TestService
let worker: TestDispatcher
beforeAll(async () => {
  service = await startTestService({ onCommit: () => worker?.dispatcher.nudge() })
  worker = await startTestDispatcher(service)
})
afterAll(async () => {
  await worker.stop()
  await service.close()
})

test('expunging an event removes its payload and what receivers answered to it, and leaves the hashes', async () => {
  const team = await makeTeam(service.database)
  await using receiver = await startReceiver((response, { body }) => response.writeHead(200, { 'x-echo': 'yes' }).end(body))
  const [first, second] = [await addEndpoint(team, receiver.url), await addEndpoint(team, receiver.url)]
  const event = await emit(team)
  const kept = await emit(team, 'Other words')
  await expect.poll(() => stateOf(first, event)).toEqual(['succeeded'])
  const { body: delivery } = await ask(team, 'GET', `webhooks/${first}/deliveries/?event_id=${event}`)
  const again = `webhooks/${first}/deliveries/${delivery.results[0].id}/redeliver/`
  await ask(team, 'POST', again)
  const { body: replay } = await ask(team, 'POST', `webhooks/${second}/replay/`, lastHour())
  await continueReplay(service.database, { team_id: team.id, replay_id: replay.replay_id })
  await expect.poll(async () => (await stateOf(first, event)).concat(await stateOf(second, event))).toEqual(Array(4).fill('succeeded'))
  expect(await answersWith(team, WORDS)).toBe(4)

  const answer = await expunge(team, event)
  expect(answer).toMatchObject({ status: 200, body: { id: event, type: 'submission.created', project_id: team.project.project_id } })
  expect(Date.now() - Date.parse(answer.body.expunged_at)).toBeLessThan(60_000)
  expect(answer.body.payload_sha256).toBe(
    createHash('sha256')
      .update(String(receiver.requests.find(({ body }) => String(body).includes(event))?.body))
      .digest('hex'),
  )

  expect(await answersWith(team, WORDS)).toBe(0)
  expect(await answersWith(team, 'Other words')).toBeGreaterThan(0)
  for (const id of [first, second]) {
    const { results } = (await ask(team, 'GET', `webhooks/${id}/deliveries/?event_id=${event}`)).body
    expect(results).toHaveLength(2)
    for (const shown of results)
      expect(shown).toMatchObject({ payload: null, payload_sha256: answer.body.payload_sha256, state: 'succeeded' })
    const attempts = (await ask(team, 'GET', `webhooks/${id}/attempts/?delivery_id=${results[0].id}`)).body.results
    expect(attempts).toMatchObject([{ status_code: 200, response_headers: null, response_body: null }])
  }

  await number(service)
  expect(await feed(team)).not.toContain(event)
  expect(await feed(team)).toContain(kept)
  expect(await ask(team, 'POST', again)).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'expunged' } })
  expect((await ask(team, 'POST', `webhooks/${first}/replay/`, lastHour())).body.matched).toBe(1)
})

test('expunging an event again changes nothing: neither the time nor the audit log', async () => {
  const team = await makeTeam(service.database)
  const event = await emit(team)
  const answers = await Promise.all(Array.from({ length: 5 }, () => expunge(team, event)))
  for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 200, body: answers[0]?.body })
  expect(await expunge(team, event)).toMatchObject({ status: 200, body: answers[0]?.body })
  const { results } = (await ask(team, 'GET', 'audit-log/')).body
  expect(results.filter(({ action }: { action: string }) => action === 'event.expunged')).toMatchObject([
    { target: { type: 'event', id: event }, project_id: team.project.project_id, changes: {}, actor: { id: team.ownerId } },
  ])
})

test('what waits is skipped and never sent; one in flight arrives, and its answer is not kept', async () => {
  const team = await makeTeam(service.database)
  let held: ServerResponse | undefined
  await using receiver = await startReceiver((response) => {
    held = response
  })
  await using failing = await startReceiver((response, { body }) => response.writeHead(503, { 'retry-after': '3600' }).end(body))
  const [sending, waiting] = [await addEndpoint(team, receiver.url), await addEndpoint(team, failing.url)]
  const event = await emit(team)
  await until('one waits for its retry and one is in flight', async () => held !== undefined && (await answersWith(team, WORDS)) === 1)
  await expect.poll(() => stateOf(waiting, event)).toEqual(['pending'])

  expect((await expunge(team, event)).status).toBe(200)
  expect(await stateOf(waiting, event)).toEqual(['skipped'])
  expect(await stateOf(sending, event)).toEqual(['failed'])
  held?.end(WORDS)
  // The worker has written what came later, so it has refused this answer.
  const next = await emit(team, 'Other words')
  await expect.poll(() => receiver.requests.length).toBe(2)
  held?.end('ok')
  await expect.poll(() => stateOf(sending, next)).toEqual(['succeeded'])
  const [attempt] = (await ask(team, 'GET', `webhooks/${sending}/attempts/?outcome=failed`)).body.results
  expect(attempt).toMatchObject({
    response_body: null,
    response_headers: null,
    error: { code: 'interrupted', detail: expect.stringContaining('removed') },
  })
  expect(await answersWith(team, WORDS)).toBe(0)
  expect(failing.requests.filter(({ body }) => String(body).includes(event))).toHaveLength(1)
})

test('a redelivery that waits for the expunction sends nothing', async () => {
  const team = await makeTeam(service.database)
  await using receiver = await startReceiver()
  const endpoint = await addEndpoint(team, receiver.url)
  const event = await emit(team)
  await expect.poll(() => stateOf(endpoint, event)).toEqual(['succeeded'])
  const [{ id }] = (await ask(team, 'GET', `webhooks/${endpoint}/deliveries/`)).body.results
  const redelivered = await service.database.transaction(async (tx) => {
    await tx.run('update events set payload = null, expunged_at = now() where team_id = $1 and id = $2', [team.id, event])
    const answer = ask(team, 'POST', `webhooks/${endpoint}/deliveries/${id}/redeliver/`)
    await until('it waits', async () => (await service.database.run(IS_WAITING, [])).length > 0)
    return { answer }
  })
  expect(await redelivered.answer).toMatchObject({ status: 409, body: { current_state: 'expunged' } })
  expect(receiver.requests).toHaveLength(1)
})

test('a delivery whose event has no payload when it is claimed is skipped, without an attempt', async () => {
  const team = await makeTeam(service.database)
  await using receiver = await startReceiver()
  const endpoint = await addEndpoint(team, receiver.url)
  await ask(team, 'PATCH', `webhooks/${endpoint}/`, { state: 'paused' })
  const event = await emit(team)
  await service.database.run(
    `with gone as (delete from webhook_delivery_history where endpoint_id = $1 returning *),
          bare as (update events set payload = null, expunged_at = now() where team_id = $2 and id = $3)
     insert into webhook_deliveries (team_id, id, endpoint_id, event_id, event_type, payload_sha256, attempt_count)
     select team_id, id, endpoint_id, event_id, event_type, payload_sha256, 3 from gone`,
    [endpoint, team.id, event],
  )
  await ask(team, 'PATCH', `webhooks/${endpoint}/`, { state: 'active' })
  await expect.poll(() => stateOf(endpoint, event)).toEqual(['skipped'])
  const [delivery] = (await ask(team, 'GET', `webhooks/${endpoint}/deliveries/`)).body.results
  expect(delivery).toMatchObject({ state: 'skipped', attempt_count: 3, next_attempt_at: null, payload: null })
  expect((await ask(team, 'GET', `webhooks/${endpoint}/attempts/`)).body.results).toEqual([])
  expect(receiver.requests).toEqual([])
})

test('an event of another team, an unknown and an erased one are not found', async () => {
  const [team, other] = [await makeTeam(service.database), await makeTeam(service.database)]
  const event = await emit(team)
  expect((await expunge(other, event)).status).toBe(404)
  expect((await service.database.run('select from events where id = $1 and payload is not null', [event])).length).toBe(1)
  await service.database.run('delete from events where id = $1', [event])
  expect((await expunge(team, event)).status).toBe(404)
})

const IS_WAITING = 'select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted'

async function addEndpoint(team: Team, url: string): Promise<string> {
  return (await ask(team, 'POST', 'webhooks/', { url, events: ['*'] })).body.id
}

/** Submits, and returns the id of the event. */
async function emit(team: Team, body = WORDS): Promise<string> {
  await team.submit({ body })
  worker.dispatcher.nudge()
  const [event] = await service.database.run<{ id: string }>('select id from events where team_id = $1 order by id desc limit 1', [team.id])
  return event?.id ?? ''
}

function expunge(team: Team, event: string) {
  return ask(team, 'POST', `events/${event}/expunge/`)
}

function ask(team: Team, method: string, path: string, body?: unknown) {
  return service.send(method, `/api/v1/teams/${team.id}/${path}`, { token: team.token, ...(body !== undefined && { body }) })
}

async function stateOf(endpoint: string, event: string): Promise<string[]> {
  const rows = await service.database.run<{ state: string }>(
    'select state from all_webhook_deliveries where endpoint_id = $1 and event_id = $2',
    [endpoint, event],
  )
  return rows.map(({ state }) => state)
}

/** Returns how many attempts of a team keep an answer with some words. */
async function answersWith(team: Team, words: string): Promise<number> {
  const rows = await service.database.run(
    `select from webhook_attempts where team_id = $1 and position($2 in concat(encode(response_body, 'escape'), response_headers::text)) > 0`,
    [team.id, words],
  )
  return rows.length
}

async function feed(team: Team): Promise<string[]> {
  return (await ask(team, 'GET', 'events/?limit=100')).body.results.map(({ id }: { id: string }) => id)
}

function lastHour() {
  return { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date(Date.now() + 1_000).toISOString() }
}
