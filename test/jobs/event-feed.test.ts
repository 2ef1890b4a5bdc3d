import { randomBytes } from 'node:crypto'
import { openDatabase, readEvents } from '@earshot/db'
import { numberFeeds } from '@earshot/db/dispatch'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(() => fixture.close())

test('a reader that follows the cursor sees every event once, however slowly transactions commit', async () => {
  await fixture.dispatch()
  const writers = openDatabase({ address: fixture.address, role: 'earshot_worker', poolSize: 12, applicationName: 'earshot test writers' })
  const emitted: string[] = []
  let isWriting = true
  const write = async (writer: number) => {
    for (let round = 0; round < 12; round += 1) {
      await writers.transaction(async (tx) => {
        const [row] = await tx.run<{ id: string }>("select emit_event($1, null, 'submission.created', '{}'::json) as id", [fixture.teamId])
        // Ids are given long before the commit, and commits come in another order.
        await tx.run('select pg_sleep($1::float8)', [((writer * 7 + round * 5) % 11) / 100])
        emitted.push(row?.id ?? '')
      })
    }
  }
  const read: string[] = []
  let cursor: string | undefined
  const follow = async () => {
    const page = await readEvents(fixture.database, { team_id: fixture.teamId, cursor, limit: 7 }, ({ id }) => id)
    read.push(...page.results)
    cursor = page.next_cursor
    return page.results.length
  }
  const reading = until('all is read', async () => (await follow()) === 0 && !isWriting && read.length >= emitted.length)
  await Promise.all(Array.from({ length: 12 }, (_, writer) => write(writer)))
  isWriting = false
  await reading
  await writers.close()
  expect(read).toHaveLength(144)
  expect(new Set(read)).toEqual(new Set(emitted))
})

test('concurrent numbering gives each event one position', async () => {
  for (let index = 0; index < 50; index += 1) await fixture.emit()
  const numbered = await Promise.all(Array.from({ length: 8 }, () => numberFeeds(fixture.database, { max: 10 })))
  while ((await numberFeeds(fixture.database, { max: 1_000 })).events > 0);
  const positions = await fixture.database.client<{ position: string }[]>`select position from feed_positions`
  expect(new Set(positions.map(({ position }) => position)).size).toBe(50)
  expect(Math.max(...numbered.map(({ events }) => events))).toBeLessThanOrEqual(10)
})

test('numbering writes a narrow row for each event and leaves the event as it was written', async () => {
  const { client } = fixture.database
  // Random text: PostgreSQL cannot compress it, nor is it long enough to be stored outside of its row.
  for (let index = 0; index < 20; index += 1) await fixture.emit('submission.created', { body: randomBytes(1_000).toString('base64') })
  const eventsAsStored = () => client`select id, ctid::text, xmin::text from events order by id`
  const before = await eventsAsStored()
  expect(await numberFeeds(fixture.database, { max: 1_000 })).toMatchObject({ events: 20 })
  expect(await eventsAsStored()).toEqual(before)
  const [{ widest, count } = {}] = await client`select max(pg_column_size(p.*)) as widest, count(*)::int as count from feed_positions p`
  expect(count).toBe(20)
  expect(widest).toBeLessThan(150)
  expect(await client`select from unnumbered_events`).toHaveLength(0)
})

test('an event that waited for days without a worker is numbered too', async () => {
  const { client } = fixture.database
  await client`
    with event as (
      insert into events (team_id, id, type, payload, payload_sha256)
      values (${fixture.teamId}, uuid_at(now() - interval '1 day' + interval '1 second'), 'submission.created', '{}', '')
      returning team_id, id, type
    )
    insert into unnumbered_events select * from event`
  expect(await numberFeeds(fixture.database, { max: 10 })).toMatchObject({ events: 1 })
  expect((await readEvents(fixture.database, { team_id: fixture.teamId, limit: 10 }, ({ id }) => id)).results).toHaveLength(1)
})
