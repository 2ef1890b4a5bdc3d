import { afterAll, expect, test } from 'vitest'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { startReceiver } from '../support/receiver.ts'
import { runService, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { publicSubmission, startLoad, undelivered } from './load.ts'

const dataDir = makePreparedDataDir()
const environment = { EARSHOT_DATA_DIR: dataDir.path, EARSHOT_WEBHOOK_BACKOFF_BASE_MS: '200' }
afterAll(() => dataDir[Symbol.asyncDispose]())

test.for(['SIGTERM', 'SIGINT'] as const)(
  '%s under load: every acknowledged change is delivered, exit code 0, and the next start continues',
  { timeout: 60_000 },
  async (signal) => {
    await using receiver = await startReceiver((response) => void setTimeout(() => response.end(), 20))
    await using first = await startService(environment)
    const team = await dataDir.makeTeam()
    await first.client(team.token).webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
    const load = startLoad(first, team)
    await until('many are in flight', () => receiver.requests.length > 40)

    const startedAt = performance.now()
    const exit = await first.stop(signal)
    console.log(`${signal}: ended after ${Math.round(performance.now() - startedAt)} ms`)
    expect(exit).toMatchObject({
      code: 0,
      signal: null,
      output: expect.stringContaining(`Earshot received ${signal}: shutting down.`),
    })
    await load.stop()

    await using second = await startService(environment)
    await until('all is delivered', () => undelivered(load.acknowledged, receiver.requests).length === 0)
    const ids = new Set<string>()
    for await (const { id } of second.client(team.token).submissions.list({ ...team.project, limit: 100 })) ids.add(id)
    for (const id of load.acknowledged.created) expect(ids.has(id)).toBe(true)
    await using database = await dataDir.openDatabase()
    const interrupted = await database.client`select from webhook_attempts where error_code is not null`
    expect(interrupted).toHaveLength(0)
  },
)

test('requests and deliveries in flight at SIGTERM get their responses, and no second attempt', async () => {
  const answers: (() => void)[] = []
  await using receiver = await startReceiver((response) => void answers.push(() => response.end()))
  await using service = await startService(environment)
  const team = await dataDir.makeTeam()
  await service.client(team.token).webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
  const own = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
  await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })
  await until('the delivery is in flight', () => receiver.requests.length === 1)

  const released = Promise.withResolvers<void>()
  const requests = await (async () => {
    await using database = await dataDir.openDatabase()
    const locked = Promise.withResolvers<void>()
    const holding = database.client.begin(async (tx) => {
      await tx`lock table submissions in exclusive mode`
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const { token } = team
    const sent = Array.from({ length: 5 }, () => service.send('POST', own, { token, body: { body: 'Ours', author: { name: 'Ada' } } }))
    await until('all wait for the table', async () => {
      const [row] = await database.client<
        { count: number }[]
      >`select count(*)::int from pg_locks where not granted and relation = 'submissions'::regclass`
      return row?.count === sent.length
    })
    process.kill(service.pid, 'SIGTERM')
    await until('it drains', () => service.output().includes('Earshot received SIGTERM'))
    await expect(fetch(service.url)).rejects.toThrow()
    released.resolve()
    await holding
    return await Promise.all(sent)
  })()
  expect(requests.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  for (const answer of answers) answer()
  const startedAt = performance.now()
  expect(await service.exit).toMatchObject({ code: 0 })
  console.log(`ended ${Math.round(performance.now() - startedAt)} ms after the last answer`)
  expect(new Set(receiver.deliveryIds()).size).toBe(receiver.requests.length)
}, 60_000)

test('a signal that arrives twice, as from Ctrl-C under npm, still drains', async () => {
  const answers: (() => void)[] = []
  await using receiver = await startReceiver((response) => void answers.push(() => response.end()))
  await using service = await startService(environment)
  const team = await dataDir.makeTeam()
  await service.client(team.token).webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
  await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })
  await until('the delivery is in flight', () => receiver.requests.length === 1)
  process.kill(service.pid, 'SIGINT')
  await until('it drains', () => service.output().includes('Earshot received SIGINT'))
  process.kill(service.pid, 'SIGINT')
  for (const answer of answers) answer()
  const exit = await service.exit
  expect(exit).toMatchObject({ code: 0, output: expect.stringContaining('"completion":"applied"') })
  await using next = await startService(environment)
  const { results } = await next.client(team.token).webhooks.list({ team_id: team.id })
  const endpoint = results[0]?.id ?? ''
  const deliveries = await next.client(team.token).webhooks.deliveries.list({ team_id: team.id, webhook_id: endpoint })
  expect(deliveries.results).toMatchObject([{ state: 'succeeded', attempt_count: 1 }])
}, 60_000)

test('a second service on the same data directory ends with one line, and the first keeps running', async () => {
  await using first = await startService(environment)
  const second = await runService(environment)
  expect(second).toEqual({
    code: 1,
    signal: null,
    output: `Another Earshot (pid ${first.pid}) already uses the data directory ${dataDir.path}.\n`,
  })
  expect(await first.send('GET', '/readyz')).toMatchObject({ status: 200 })
}, 60_000)
