import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase, readFeedEnds } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recording } from '../db/statement-plan.ts'
import { openStream } from '../support/event-stream.ts'
import { measureLateness } from '../support/lateness.ts'
import { makeTeam } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

let fixture: WebhookFixture
let service: TestService
beforeAll(async () => {
  fixture = await openWebhookFixture()
  const { address, database } = fixture
  service = await startTestService({ database }, { store: { address, database, statements: [], close: async () => {} } })
})
afterAll(async () => {
  await service.close()
  await fixture.close()
})

test('a stream that is broken repeatedly delivers every event once, however slowly transactions commit', async () => {
  await fixture.dispatch()
  const team = await makeTeam(fixture.database)
  await team.submit()
  const [kept] = await fixture.database.run<{ data: string }>("select payload::json ->> 'data' as data from events where team_id = $1", [
    team.id,
  ])
  await until('it is numbered, and so is none of the stream', async () => {
    const unnumbered = await fixture.database.run('select from unnumbered_events', [])
    return unnumbered.length === 0
  })
  const writers = openDatabase({ address: fixture.address, role: 'earshot_worker', poolSize: 12, applicationName: 'earshot test writers' })
  const emitted: string[] = []
  const write = async (writer: number) => {
    for (let round = 0; round < 40; round += 1) {
      await writers.transaction(async (tx) => {
        const [row] = await tx.run<{ id: string }>("select emit_event($1, null, 'submission.created', $2::text::json) as id", [
          team.id,
          kept?.data,
        ])
        // Ids are given long before the commit, and commits come in another order.
        await tx.run('select pg_sleep($1::float8)', [((writer * 7 + round * 5) % 11) / 50])
        emitted.push(row?.id ?? '')
      })
    }
  }
  const whole = await openStream(service, team)
  await expect.poll(() => whole.messages().length).toBe(1)
  let isWriting = true
  const writing = Promise.all(Array.from({ length: 12 }, (_, writer) => write(writer))).then(() => {
    isWriting = false
  })
  const broken: string[] = []
  let connections = 0
  let last = whole.messages()[0]?.id ?? ''
  while (isWriting || broken.length < emitted.length) {
    const stream = await openStream(service, team, { headers: { 'last-event-id': last } })
    connections += 1
    await expect.poll(() => stream.messages().length).toBeGreaterThan(1)
    // Whatever has come when it breaks counts, as it would for an EventSource.
    broken.push(...stream.ids())
    last = stream.messages().at(-1)?.id ?? last
    stream.close()
  }
  await writing
  await writers.close()
  await expect.poll(() => whole.ids().length).toBe(emitted.length)
  console.log(`${connections} connections`)
  expect(connections).toBeGreaterThan(3)
  for (const ids of [whole.ids(), broken]) {
    expect(ids).toHaveLength(480)
    expect(new Set(ids)).toEqual(new Set(emitted))
  }
  whole.close()
})

test('an event is sent soon after its commit, usually within a second even on a busy machine', async () => {
  const team = await makeTeam(fixture.database)
  const stream = await openStream(service, team)
  await expect.poll(() => stream.messages().length).toBe(1)
  const waits: number[] = []
  using late = measureLateness()
  const submitAfter = async (ms: number) => {
    await delay(ms)
    const { id } = await team.submit()
    const [startedAt, lateBefore] = [performance.now(), late.seconds()]
    await expect.poll(() => stream.text().includes(id), { interval: 5 }).toBe(true)
    waits.push(performance.now() - startedAt - 1_000 * (late.seconds() - lateBefore))
  }
  // At any moment between two looks of the stream: nothing of an event depends on the others.
  await Promise.all(Array.from({ length: 20 }, (_, count) => submitAfter(count * 75)))
  waits.sort((a, b) => a - b)
  console.log(`commit to stream: p50 ${Math.round(waits[10] ?? 0)} ms, most ${Math.round(waits.at(-1) ?? 0)} ms`)
  expect(waits[10]).toBeLessThan(1_000)
  expect(waits.at(-1)).toBeLessThan(5_000)
  stream.close()
})

test('polling the feeds probes one primary key per team, and no partition', async () => {
  const sent = recording(fixture.database)
  await readFeedEnds(sent, [fixture.teamId])
  const [statement] = sent.sent
  const rows = await fixture.database.client.unsafe<{ 'QUERY PLAN': string }[]>(
    `explain ${statement?.text.replaceAll('$1', `'{${fixture.teamId}}'`)}`,
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan.match(/ on (?!unnest)\w+/g)).toEqual([' on feed_ends'])
  expect(plan).toMatch(/Index Scan using feed_ends_pkey/)
})
