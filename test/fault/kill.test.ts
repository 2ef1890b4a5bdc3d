import { afterAll, expect, test } from 'vitest'
import { readAttemptFigures } from '../support/attempt-figures.ts'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { startReceiver } from '../support/receiver.ts'
import { startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { deliveriesByEvent, startLoad, undelivered } from './load.ts'

const ANSWER_MS = 100
const DELIVERED_WITHIN_MS = 15_000
/** From the same start. A delivery that was received, but not recorded, is taken over only when its worker counts as lost. */
const FINISHED_WITHIN_MS = 20_000
const dataDir = makePreparedDataDir()
afterAll(() => dataDir[Symbol.asyncDispose]())

test.for([
  { what: 'PostgreSQL left running', withServer: false },
  { what: 'PostgreSQL killed too', withServer: true },
])(
  'after kill -9 amid deliveries, $what, every acknowledged change is stored and delivered within 15 s',
  { timeout: 60_000 },
  async ({ withServer }) => {
    // Slow enough that many deliveries are in flight at any moment.
    let unanswered = 0
    await using receiver = await startReceiver((response) => {
      unanswered += 1
      setTimeout(() => {
        response.end()
        unanswered -= 1
      }, ANSWER_MS)
    })
    const environment = { EARSHOT_DATA_DIR: dataDir.path, EARSHOT_WEBHOOK_BACKOFF_BASE_MS: '200' }

    await using first = await startService(environment)
    const team = await dataDir.makeTeam()
    await first.client(team.token).webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
    const load = startLoad(first, team)
    await until('many are in flight', () => receiver.requests.length > 50 && load.acknowledged.created.length > 200)
    const serverPid = dataDir.serverPid()
    process.kill(first.pid, 'SIGKILL')
    expect(unanswered).toBeGreaterThan(0)
    if (withServer) process.kill(serverPid, 'SIGKILL')
    await first.exit
    await load.stop()
    const { acknowledged } = load

    const startedAt = performance.now()
    await using second = await startService(environment)
    await until('all is delivered', () => undelivered(acknowledged, receiver.requests).length === 0, DELIVERED_WITHIN_MS)
    console.log(
      `ready ${second.readyMs} ms after kill -9, all of ${acknowledged.created.length} + ${acknowledged.approved.length} delivered after ${Math.round(performance.now() - startedAt)} ms`,
    )

    for (const [event, deliveries] of deliveriesByEvent(receiver.requests)) expect([event, deliveries.size]).toEqual([event, 1])
    const states = new Map<string, string>()
    for await (const { id, state } of second.client(team.token).submissions.list({ ...team.project, limit: 100 })) states.set(id, state)
    for (const id of acknowledged.created) expect(states.has(id)).toBe(true)
    for (const id of acknowledged.approved) expect(states.get(id)).toBe('approved')

    await using database = await dataDir.openDatabase()
    const open = () => database.client`
    select from webhook_attempts where finished_at is null
    union all
    select from all_webhook_deliveries where team_id = ${team.id} and state <> 'succeeded'`
    const leftMs = FINISHED_WITHIN_MS - (performance.now() - startedAt)
    await until('no delivery and no attempt is open', async () => (await open()).length === 0, leftMs)
    const { kept, counted } = await readAttemptFigures(database)
    expect(kept).toEqual(counted)
  },
)
