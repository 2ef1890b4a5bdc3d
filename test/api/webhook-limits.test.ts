import type { Worker } from '@earshot/jobs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { earshot } from '../cli/command-line.ts'
import { attemptsTo } from '../support/arrivals.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

const NOWHERE = 'http://127.0.0.1:9/hooks'

let service: TestService
let worker: Worker
let team: Team
beforeAll(async () => {
  service = await startTestService({ onCommit: (teamId) => worker?.nudge(teamId) })
  worker = await startWholeWorker(service)
  team = await makeTeam(service.database, { plan: 'business' })
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 2_000 })
  await service.close()
})

test('an endpoint has no limit unless it was given one, at its creation or later, until it is null again', async () => {
  const { id, max_per_second } = (await create({})).body
  expect(max_per_second).toBeNull()
  for (const limit of [1, 1_000, null, 20]) {
    expect(await update(id, { max_per_second: limit })).toMatchObject({ status: 200, body: { max_per_second: limit } })
    expect((await ask('GET', `${id}/`)).body.max_per_second).toBe(limit)
  }
  expect((await update(id, { description: 'Slow' })).body.max_per_second).toBe(20)
  expect((await create({ max_per_second: 5 })).body.max_per_second).toBe(5)
  const audited = await service.database.run<{ changes: object }>(
    "select changes from audit_entries where action = 'webhook.updated' and target_id = $1 order by id limit 2",
    [id],
  )
  expect(audited.map(({ changes }) => changes)).toEqual([
    { max_per_second: { from: null, to: 1 } },
    { max_per_second: { from: 1, to: 1_000 } },
  ])
})

test.each([0, 1_001, 1.5, '20', -1])('a limit of %j is refused', async (max_per_second) => {
  const { id } = (await create({})).body
  const refused = { status: 400, body: { errors: [{ field: 'max_per_second' }] } }
  expect(await create({ max_per_second })).toMatchObject(refused)
  expect(await update(id, { max_per_second })).toMatchObject(refused)
  expect((await ask('GET', `${id}/`)).body.max_per_second).toBeNull()
})

test('the command line sets, shows and removes it', async () => {
  const { id } = (await create({})).body
  const run = (...words: string[]) =>
    earshot(['webhooks', ...words], { url: service.url, env: { EARSHOT_TOKEN: team.token, EARSHOT_TEAM: team.id } })
  expect((await run('update', id, '--max-per-second', '7', '--output', 'max_per_second')).out.trim()).toBe('7')
  expect((await run('retrieve', id)).out).toMatch(/max_per_second +7/)
  expect((await run('update', id, '--no-max-per-second')).out).toMatch(/max_per_second +-/)
  expect((await run('update', id, '--max-per-second', '1001')).err).toContain('--max-per-second: must be at most 1000')
})

test('events, tests, redeliveries and replays take turns, and a test is next', async () => {
  await using receiver = await startReceiver()
  const { id } = (await create({ url: receiver.url, max_per_second: 2 })).body
  const from = new Date(Date.now() - 60_000).toISOString()
  for (let index = 0; index < 3; index += 1) expect((await submit()).status).toBe(201)
  await until('all have arrived', () => receiver.requests.length === 3)
  const [delivery] = (await ask('GET', `${id}/deliveries/`)).body.results
  for (let index = 0; index < 4; index += 1) expect((await ask('POST', `${id}/deliveries/${delivery.id}/redeliver/`)).status).toBe(201)
  expect((await ask('POST', `${id}/test/`)).body).toMatchObject({ trigger: 'test', status_code: 200 })
  expect(receiver.requests.length).toBeLessThan(3 + 4 + 1)
  expect((await ask('POST', `${id}/replay/`, { from, to: new Date().toISOString() })).body.matched).toBe(3)
  await until('all have arrived', () => receiver.requests.length === 3 + 4 + 1 + 3)
  const attempts = await attemptsTo(service, id)
  expect(attempts.mostPerSecond).toBeLessThanOrEqual(3)
  expect(attempts.seconds).toBeGreaterThanOrEqual((3 + 4 + 1 + 3 - 1) / 2 - 0.1)
})

const create = (body: object) => ask('POST', '', { url: NOWHERE, events: ['*'], ...body })
const update = (id: string, body: object) => ask('PATCH', `${id}/`, body)
const submit = () =>
  service.send('POST', `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`, {
    token: team.token,
    body: { kind: 'text', body: `Words ${Math.random()}`, author: { name: 'Ada' }, consent: { granted: true } },
  })

function ask(method: string, path: string, body?: object) {
  return service.send(method, `/api/v1/teams/${team.id}/webhooks/${path}`, { token: team.token, ...(body && { body }) })
}
