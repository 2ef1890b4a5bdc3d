import { openDatabase, readEvents } from '@earshot/db'
import { numberEvents } from '@earshot/db/dispatch'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(() => fixture.close())

const everything = { days: 31, max: 1000 }

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
  const numbered = await Promise.all(Array.from({ length: 8 }, () => numberEvents(fixture.database, { days: 1, max: 10 })))
  while ((await numberEvents(fixture.database, everything)) > 0) numbered.push(0)
  const positions = await fixture.database.client<{ feed_position: string }[]>`select feed_position from events order by feed_position`
  expect(new Set(positions.map(({ feed_position }) => feed_position)).size).toBe(50)
  expect(Math.max(...numbered)).toBeLessThanOrEqual(10)
})

test('an event that waited for days without a worker is numbered too', async () => {
  const { client } = fixture.database
  await client`
    insert into events (team_id, id, type, payload, payload_sha256)
    values (${fixture.teamId}, uuid_at(now() - interval '1 day' + interval '1 second'), 'submission.created', '{}', '')`
  expect(await numberEvents(fixture.database, { days: 0, max: 10 })).toBe(0)
  expect(await numberEvents(fixture.database, everything)).toBe(1)
})
