import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sizes } from '@earshot/contracts'
import { beginTestDelivery, continueReplay } from '@earshot/db'
import { createSecretBox } from '@earshot/drivers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleFor } from '../../server/src/webhooks/event-examples.ts'
import { finishDeliveries } from '../support/finish-deliveries.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { walkIds } from '../support/walk-pages.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

const NOWHERE = 'http://127.0.0.1:9/hooks'
const WORKER = fileURLToPath(new URL('../support/worker-process.ts', import.meta.url))
const HOUR_MS = 3_600_000
const NOBODY = { userId: null, credentialId: null, credentialKind: null, ip: null }

let service: TestService
const secretKey = Buffer.alloc(32, 7)
beforeAll(async () => {
  service = await startTestService({ services: { secretBox: createSecretBox(secretKey) } })
})
afterAll(() => service.close())

test('a replay sends the deliveries skipped during a pause, and the others of the range again', async () => {
  await using receiver = await startReceiver()
  const team = await makeTeam(service.database)
  const id = await addEndpoint(team, { url: receiver.url })
  await team.submit()
  await ask(team, 'PATCH', `${id}/`, { state: 'paused' })
  await team.submit()
  await ask(team, 'PATCH', `${id}/`, { state: 'active' })
  expect((await statesOf(id)).sort()).toEqual(['pending', 'skipped'])
  await finishDeliveries(service.database, 'failed', `endpoint_id = '${id}'`)

  const worker = await startWholeWorker(service)
  const answer = await replay(team, id)
  expect(answer).toMatchObject({ status: 202, body: { replay_id: expect.any(String), matched: 2 } })
  await expect.poll(() => receiver.requests.length).toBe(2)
  await expect.poll(async () => (await statesOf(id)).filter((state) => state === 'succeeded').length).toBe(2)
  await worker.stop({ timeoutMs: 5_000 })

  const { replay_id } = answer.body
  const path = `/api/v1/teams/${team.id}/webhooks/${id}/deliveries/`
  const listed = await walkIds(service, path, { token: team.token, query: { limit: '1', replay_id } })
  expect(listed.toSorted()).toEqual(receiver.deliveryIds().toSorted())
  const [first] = (await ask(team, 'GET', `${id}/deliveries/?replay_id=${replay_id}`)).body.results
  expect(first).toMatchObject({ replay_id, replay_of: null, state: 'succeeded', event_type: 'submission.created' })
  expect(await walkIds(service, path, { token: team.token, query: { replay_id, state: 'failed' } })).toEqual([])
  const [attempt] = (await ask(team, 'GET', `${id}/attempts/`)).body.results
  expect(attempt).toMatchObject({ trigger: 'replay', status_code: 200 })
  expect(await service.database.run('select id from webhook_replays', [])).toEqual([])
})

test('workers that are at one replay make each delivery once, and none ends its job before the replay has ended', async () => {
  const team = await makeTeam(service.database)
  const id = await addEndpoint(team)
  for (let number = 0; number < 40; number += 1) await team.submit({ body: `Words ${number}` })
  const { body } = await replay(team, id)
  expect(body.matched).toBe(40)
  const ref = { team_id: team.id, replay_id: body.replay_id }
  // The queue deletes a job by its id, also one that it has given to another worker meanwhile.
  const work = async () => {
    while (await continueReplay(service.database, ref, { max: 3 }));
    return service.database.run('select from webhook_replays where team_id = $1', [team.id])
  }
  expect(await Promise.all([work(), work(), work()])).toEqual([[], [], []])
  const events = await service.database.run<{ event_id: string }>('select event_id from all_webhook_deliveries where replay_id = $1', [
    body.replay_id,
  ])
  expect(events).toHaveLength(40)
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(40)
})

test('a replay sends events that match the endpoint’s filters, its types and its range, and never a test', async () => {
  const team = await makeTeam(service.database)
  const elsewhere = await service.client(team.token).projects.create({ team_id: team.id, name: 'Elsewhere' })
  const all = await addEndpoint(team)
  const created = await addEndpoint(team, { events: ['submission.created', 'submission.rejected'] })
  const other = await addEndpoint(team, { project_id: elsewhere.id })
  const { id: submission_id } = await team.submit()
  // Ids are ordered by the millisecond.
  const laterMs = Date.now() + 2
  const later = new Date(laterMs).toISOString()
  await expect.poll(() => Date.now()).toBeGreaterThan(laterMs)
  await service.client(team.token).submissions.approve({ ...team.project, submission_id })
  for (const message of [null, exampleFor(team.id, 'submission.approved')])
    await beginTestDelivery(service.database, NOBODY, { team_id: team.id, webhook_id: all }, message)
  const wanted = async (id: string, fields?: object) => {
    const answer = await replay(team, id, fields)
    await continueReplay(service.database, { team_id: team.id, replay_id: answer.body.replay_id })
    const rows = await service.database.run<{ event_type: string }>(
      'select event_type from all_webhook_deliveries where replay_id = $1 order by event_id',
      [answer.body.replay_id],
    )
    expect(rows).toHaveLength(answer.body.matched)
    return rows.map(({ event_type }) => event_type)
  }
  expect(await wanted(all)).toEqual(['submission.created', 'submission.approved'])
  expect(await wanted(all, { events: ['submission.approved'] })).toEqual(['submission.approved'])
  expect(await wanted(created)).toEqual(['submission.created'])
  expect(await wanted(created, { events: ['submission.approved'] })).toEqual([])
  expect(await wanted(other)).toEqual([])
  expect(await wanted(all, { from: later })).toEqual(['submission.approved'])
  expect(await wanted(all, { to: later })).toEqual(['submission.created'])
  expect(await wanted(all, { to: '2999-01-01T00:00:00Z' })).toHaveLength(2)
})

test('a range that is invalid, too far back or too large is refused by the name of its field', async () => {
  const team = await makeTeam(service.database)
  const id = await addEndpoint(team)
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const refused = async (range: object, field: string) => {
    const answer = await replay(team, id, range)
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field }] } })
  }
  const now = at(0)
  await refused({ from: now, to: now }, 'to')
  await refused({ from: now, to: at(-HOUR_MS) }, 'to')
  await refused({ from: at(-30 * 24 * HOUR_MS - 1_000) }, 'from')
  await refused({ from: 'yesterday' }, 'from')
  const first = await replay(team, id, { from: at(-30 * 24 * HOUR_MS + 60_000) })
  expect(first.status).toBe(202)
  await continueReplay(service.database, { team_id: team.id, replay_id: first.body.replay_id })
  await addEvents(team, sizes.replayEvents)
  expect(await replay(team, id)).toMatchObject({ status: 202, body: { matched: sizes.replayEvents } })
  await team.submit()
  await refused({}, 'to')
}, 60_000)

test('an endpoint has one replay at a time, whoever asks at once', async () => {
  const team = await makeTeam(service.database)
  const [id, other] = [await addEndpoint(team), await addEndpoint(team)]
  await addEvents(team, 3)
  const answers = await Promise.all(Array.from({ length: 6 }, () => replay(team, id)))
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'state_conflict', current_state: 'replaying' })
  expect((await replay(team, other)).status).toBe(202)
  const replay_id = answers.find(({ status }) => status === 202)?.body.replay_id
  expect(await continueReplay(service.database, { team_id: team.id, replay_id })).toBe(false)
  expect((await replay(team, id)).status).toBe(202)
})

test('replays of a team have a budget of unfinished deliveries, those still to be made included', async () => {
  const team = await makeTeam(service.database)
  const [first, second, third] = [await addEndpoint(team), await addEndpoint(team), await addEndpoint(team)]
  await addEvents(team, sizes.replayEvents)
  const made = await replay(team, first)
  expect(made.status).toBe(202)
  await continueReplay(service.database, { team_id: team.id, replay_id: made.body.replay_id })
  await addDeliveriesOfReplay(team, sizes.replayDeliveries - sizes.replayEvents - 500)
  const limit = sizes.replayDeliveries
  const refusal = { code: 'quota_exceeded', quota: 'replay_deliveries', limit, used: limit - 500, resets_at: null }
  expect(await replay(team, second)).toMatchObject({ status: 402, body: refusal })
  await finishDeliveries(service.database, 'succeeded', `team_id = '${team.id}'`)
  await endReplays(team)
  const both = await Promise.all([replay(team, second), replay(team, third), replay(team, first)])
  expect(both.map(({ status }) => status).sort()).toEqual([202, 202, 402])
  // No later test's worker is to make them.
  await endReplays(team)
}, 60_000)

test('nothing is replayed to an inactive or unknown endpoint', async () => {
  const team = await makeTeam(service.database)
  const id = await addEndpoint(team)
  await ask(team, 'PATCH', `${id}/`, { state: 'paused' })
  expect(await replay(team, id)).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'paused' } })
  await ask(team, 'PATCH', `${id}/`, { state: 'active' })
  const { replay_id } = (await replay(team, id)).body
  await team.submit()
  await ask(team, 'DELETE', `${id}/`)
  expect(await replay(team, id)).toMatchObject({ status: 404 })
  expect(await continueReplay(service.database, { team_id: team.id, replay_id })).toBe(false)
  expect(await service.database.run('select id from webhook_deliveries where replay_id = $1', [replay_id])).toEqual([])
})

test('concurrent and rolled-back batches replay every event once', async () => {
  const team = await makeTeam(service.database)
  const id = await addEndpoint(team)
  await addEvents(team, 1_000)
  const { replay_id, matched } = (await replay(team, id)).body
  const ref = { team_id: team.id, replay_id }
  const runAll = async () => {
    for (let hasMore = true; hasMore; ) hasMore = await continueReplay(service.database, ref, { max: 7 })
  }
  const runUndone = async () => {
    for (let count = 0; count < 20; count += 1) {
      const undone = service.database.transaction(async (tx) => {
        await continueReplay(tx, ref, { max: 7 })
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
    }
  }
  await Promise.all([runAll(), runAll(), runAll(), runUndone()])
  expect(await madeBy(replay_id)).toEqual({ deliveries: matched, events: 1_000 })
})

test('a replay whose worker is killed is finished by another, without duplicates', async () => {
  const team = await makeTeam(service.database)
  const id = await addEndpoint(team)
  await addEvents(team, 20_000)
  const { replay_id, matched } = (await replay(team, id)).body
  // Only the replay's own work is looked at here: nothing is sent meanwhile.
  await ask(team, 'PATCH', `${id}/`, { state: 'paused' })
  const options = { address: service.address, secretKey: secretKey.toString('base64') }
  const victim = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER, JSON.stringify(options)])
  await expect.poll(async () => (await madeBy(replay_id)).deliveries, { timeout: 60_000, interval: 20 }).toBeGreaterThan(0)
  victim.kill('SIGKILL')
  await once(victim, 'exit')
  const { deliveries } = await madeBy(replay_id)
  expect(deliveries).toBeLessThan(matched)
  const worker = await startWholeWorker(service)
  await expect.poll(async () => (await madeBy(replay_id)).deliveries, { timeout: 40_000 }).toBe(matched)
  await expect.poll(() => service.database.run('select id from webhook_replays where id = $1', [replay_id])).toEqual([])
  expect(await madeBy(replay_id)).toEqual({ deliveries: matched, events: matched })
  await worker.stop({ timeoutMs: 5_000 })
}, 150_000)

async function addEndpoint(team: Team, fields: object = {}): Promise<string> {
  return (await ask(team, 'POST', '', { url: NOWHERE, events: ['*'], ...fields })).body.id
}

function replay(team: Team, id: string, range: object = {}) {
  const to = new Date(Date.now() + 1_000).toISOString()
  return ask(team, 'POST', `${id}/replay/`, { from: new Date(Date.now() - HOUR_MS).toISOString(), to, ...range })
}

function ask(team: Team, method: string, path: string, body?: unknown) {
  return service.send(method, `/api/v1/teams/${team.id}/webhooks/${path}`, { token: team.token, ...(body !== undefined && { body }) })
}

/** Events without deliveries, as before the endpoint was there. */
async function addEvents({ id, project }: Team, count: number): Promise<void> {
  await service.database.run(
    `insert into events (team_id, project_id, type, payload, payload_sha256)
     select $1, $2, 'submission.created', '{}', 'digest' from generate_series(1, $3::int)`,
    [id, project.project_id, count],
  )
}

async function endReplays({ id }: Team): Promise<void> {
  await service.database.run('delete from webhook_replays where team_id = $1', [id])
}

async function addDeliveriesOfReplay({ id }: Team, count: number): Promise<void> {
  await service.database.run(
    `insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, trigger, replay_id)
     select $1, uuidv7(), uuidv7(), 'submission.created', '', 'replay', uuidv7() from generate_series(1, $2::int)`,
    [id, count],
  )
}

async function statesOf(endpointId: string): Promise<string[]> {
  const rows = await service.database.run<{ state: string }>('select state from all_webhook_deliveries where endpoint_id = $1', [
    endpointId,
  ])
  return rows.map(({ state }) => state)
}

async function madeBy(replayId: string): Promise<{ deliveries: number; events: number }> {
  const [row] = await service.database.run<{ deliveries: number; events: number }>(
    'select count(*)::int as deliveries, count(distinct event_id)::int as events from all_webhook_deliveries where replay_id = $1',
    [replayId],
  )
  return row ?? { deliveries: 0, events: 0 }
}
