import { setTimeout as delay } from 'node:timers/promises'
import { readSubmissionFeedEnds } from '@earshot/db'
import { numberFeeds } from '@earshot/db/dispatch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recording } from '../db/statement-plan.ts'
import { type OpenStream, openStream } from '../support/event-stream.ts'
import { measureLateness } from '../support/lateness.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
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

test('the changes of a submission stay in their order in a backlog that takes several batches', async () => {
  const { database } = fixture
  const team = await makeTeam(database)
  const { team_id, project_id } = team.project
  // Later changes lie before earlier ones, as where a vacuum has left room.
  await database.run(
    `insert into submission_feed_waiting (team_id, project_id, submission_id, kind, state, change, changed_at)
     select $1, $2, uuid_at(now()), 'text', 'pending', 'updated', now() + n * interval '1 second' from generate_series(60, 1, -1) n`,
    [team_id, project_id],
  )
  const counts: number[] = []
  for (let batch = 0; batch < 7; batch += 1) counts.push((await numberFeeds(database, { max: 10 })).changes)
  expect(counts).toEqual([10, 10, 10, 10, 10, 10, 0])
  const rows = await database.run<{ is_ordered: boolean; is_chained: boolean }>(
    `select changed_at > coalesce(lag(changed_at) over w, '-infinity') as is_ordered,
            previous_position = coalesce(lag(position) over w, 0) as is_chained
       from submission_feed where project_id = $1 window w as (order by position)`,
    [project_id],
  )
  expect(rows).toEqual(Array.from({ length: 60 }, () => ({ is_ordered: true, is_chained: true })))
  await database.run('delete from submission_feed where project_id = $1', [project_id])
})

test('a stream that is broken repeatedly tells every change once while forty people decide at once', async () => {
  await fixture.dispatch()
  const team = await makeTeam(fixture.database)
  const whole = await follow(team)
  const write = async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await team.submit()
      await service.client(team.token).submissions.approve({ ...team.project, submission_id: id })
    }
  }
  const writing = Promise.all(Array.from({ length: 40 }, write))
  const broken: string[] = []
  let last = whole.messages()[0]?.id ?? ''
  // The last change may be told before its author has the answer.
  while (broken.length < 800) {
    const stream = await openStream(service, team, { path: pathOf(team), headers: { 'last-event-id': last } })
    await expect.poll(() => stream.messages().length).toBeGreaterThan(1)
    broken.push(...changesIn(stream))
    last = stream.messages().at(-1)?.id ?? last
    stream.close()
  }
  await writing
  await expect.poll(() => changesIn(whole).length).toBe(800)
  expect(broken).toEqual(changesIn(whole))
  expect(new Set(broken).size).toBe(800)
  for (const text of broken.filter((change) => change.includes('approved'))) {
    expect(broken.indexOf(text.replaceAll('approved', 'created'))).toBeLessThan(broken.indexOf(text))
  }
  whole.close()
})

test('a decision is sent soon after its commit, usually within a second even on a busy machine', async () => {
  const team = await makeTeam(fixture.database)
  const stream = await follow(team)
  const ids: string[] = []
  for (let count = 0; count < 20; count += 1) ids.push((await team.submit()).id)
  await expect.poll(() => changesIn(stream).length, { interval: 5 }).toBe(20)
  const waits: number[] = []
  using late = measureLateness()
  const approveAfter = async (ms: number, submission_id: string) => {
    await delay(ms)
    await service.client(team.token).submissions.approve({ ...team.project, submission_id })
    const [startedAt, lateBefore] = [performance.now(), late.seconds()]
    await expect.poll(() => changesIn(stream).filter((change) => change.endsWith(submission_id)).length, { interval: 5 }).toBe(2)
    waits.push(performance.now() - startedAt - 1_000 * (late.seconds() - lateBefore))
  }
  // At any moment between two looks of the stream: nothing of a decision depends on the others.
  await Promise.all(ids.map((id, index) => approveAfter(index * 75, id)))
  waits.sort((a, b) => a - b)
  console.log(`decision to stream: p50 ${Math.round(waits[10] ?? 0)} ms, most ${Math.round(waits.at(-1) ?? 0)} ms`)
  expect(waits[10]).toBeLessThan(1_000)
  expect(waits.at(-1)).toBeLessThan(5_000)
  stream.close()
})

test('polling the feeds probes one primary key per project, and no partition', async () => {
  const team = await makeTeam(fixture.database)
  const sent = recording(fixture.database)
  await readSubmissionFeedEnds(sent, [team.project])
  const [statement] = sent.sent
  const text = statement?.text.replaceAll('$1', `'{${team.id}}'`).replaceAll('$2', `'{${team.project.project_id}}'`)
  const rows = await fixture.database.client.unsafe<{ 'QUERY PLAN': string }[]>(`explain ${text}`)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan.match(/ on (?!unnest|wanted)\w+/g)).toEqual([' on submission_feed_ends'])
  expect(plan).toMatch(/Index Scan using submission_feed_ends_pkey/)
})

async function follow(team: Team): Promise<OpenStream> {
  const stream = await openStream(service, team, { path: pathOf(team) })
  await expect.poll(() => stream.messages().length).toBe(1)
  return stream
}

function pathOf({ project }: Team): string {
  return `projects/${project.project_id}/submissions/stream/`
}

/** Each change of the stream: what it was, and of which submission. Throws if the service ended it with an error. */
function changesIn(stream: OpenStream): string[] {
  return stream.messages().flatMap(({ event, data }) => {
    if (event === 'error') throw new Error(`The stream ended: ${data}`)
    return event === 'ready' ? [] : [`${event} ${JSON.parse(data).submission_id}`]
  })
}
