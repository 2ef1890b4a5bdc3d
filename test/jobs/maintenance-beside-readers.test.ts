import { openDatabase } from '@earshot/db'
import { deletePast, dropPastPartitions, ensurePartitions } from '@earshot/db/maintenance'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LOCK_TIMEOUT_MS } from '../../db/src/maintenance/partitions.ts'
import { measureLateness } from '../support/lateness.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { asOperator, openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

const WRITES_PER_SECOND = 50
const WORST_WRITE_MS = 200
const READER_SECONDS = 3
/** Instead of the usual wait. */
const SHORT_WAIT = { waitMs: 500 }
const PAST_DELIVERIES = 20_000
const TABLES = ['events', 'feed_positions', 'submission_feed', 'webhook_delivery_history', 'webhook_attempts', 'audit_entries']

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(() => fixture.close())

test('partitions are created and dropped and deliveries deleted while a long reader is open, and no write waits for it', async () => {
  await using receiver = await startReceiver()
  await fixture.addEndpoint(receiver.url)
  await fixture.dispatch()
  await asOperator(fixture.address, `set role earshot_owner; ${TABLES.map(leaveOldAndNew).join(';')}`)
  await addPastDeliveries()
  const owner = openDatabase({ address: fixture.address, role: 'earshot_owner', poolSize: 2, applicationName: 'earshot test owner' })

  const writer = startWriter()
  await until('it writes', () => writer.tookMs.length > WRITES_PER_SECOND / 2)
  const reader = readForLong()
  await until('the reader reads', async () => (await readers()) === 1)
  await ensurePartitions(fixture.database)
  expect(await deletePast(fixture.database)).toMatchObject({ webhook_deliveries: PAST_DELIVERIES })
  expect(await readers()).toBe(1)
  // It waits for the reader, which must see its rows to the end; nothing waits for it.
  const { dropped } = await dropPastPartitions(owner)
  await reader
  const written = await writer.stop()
  await owner.close()

  expect(dropped).toHaveLength(TABLES.length)
  for (const table of TABLES) expect(await daysOf(table)).toEqual(Array.from({ length: 32 }, (_, index) => index - 1))
  const worst = Math.round(Math.max(...writer.tookMs))
  console.log(`worst of ${writer.tookMs.length} writes beside a reader of ${READER_SECONDS} s: ${worst} ms`)
  expect(worst).toBeLessThan(WORST_WRITE_MS)
  await until('all is delivered', () => new Set(receiver.deliveryIds()).size === written)
})

test('an idle reader holds up the dropping of what it reads alone, for as long as it is waited for, and nothing else', async () => {
  await asOperator(fixture.address, `set role earshot_owner; ${TABLES.map(leaveOldAndNew).join(';')}`)
  // An operator's session; those of the service would be ended by idle_in_transaction_session_timeout.
  const idle = openDatabase({ address: fixture.address, role: 'earshot_owner', poolSize: 1, applicationName: 'earshot test reader' })
  await idle.client.unsafe('set idle_in_transaction_session_timeout = 0; begin; select count(*) from events')
  const owner = openDatabase({ address: fixture.address, role: 'earshot_owner', poolSize: 1, applicationName: 'earshot test owner' })
  expect(LOCK_TIMEOUT_MS).toBe(5_000)
  const first = await dropPastPartitions(owner, SHORT_WAIT)
  expect(first.held).toEqual(['events'])
  expect(first.dropped).toHaveLength(TABLES.length - 1)

  // The partition is half detached: partitions are made, and events written, all the same.
  await ensurePartitions(fixture.database)
  for (const table of TABLES) expect((await daysOf(table)).at(-1)).toBe(30)
  const writer = startWriter()
  await until('it writes', () => writer.tookMs.length > 10)
  const second = dropPastPartitions(owner, { waitMs: 2_000 })
  await until('it waits again', async () => (await detaching()) === 1)
  const before = writer.tookMs.length
  await until('it writes meanwhile', () => writer.tookMs.length > before + 10)
  expect((await second).held).toEqual(['events'])
  await writer.stop()

  await idle.close()
  const last = await dropPastPartitions(owner)
  expect([last.held, last.dropped]).toEqual([[], [expect.stringMatching(/^events_/)]])
  await owner.close()
})

/** A partition of long ago is still there, and two of the coming days are not there yet. */
function leaveOldAndNew(table: string): string {
  const lowest = table.includes('feed') ? 'feed_position_at' : 'uuid_at'
  return `do $$
    declare
      v_old text := '${table}_' || to_char((now() at time zone 'UTC')::date - 400, 'YYYYMMDD');
    begin
      execute format('create table %I (like ${table} including all)', v_old);
      execute format('alter table ${table} attach partition %I for values from (%L) to (%L)', v_old,
        ${lowest}(now() - interval '401 days'), ${lowest}(now() - interval '400 days'));
      for day in 29..30 loop
        execute 'drop table if exists ${table}_' || to_char((now() at time zone 'UTC')::date + day, 'YYYYMMDD');
      end loop;
    end $$`
}

async function addPastDeliveries(): Promise<void> {
  await fixture.database.run(
    `insert into webhook_deliveries (team_id, id, endpoint_id, event_id, event_type, payload_sha256, next_attempt_at)
     select $1, uuid_at(now() - interval '30 days' - n * interval '1 second'), uuidv7(), uuidv7(), 'submission.created', '', now() + interval '1 hour'
       from generate_series(1, $2::int) n`,
    [fixture.teamId, PAST_DELIVERIES],
  )
}

/**
 * Events with their deliveries, at a steady rate; the dispatcher writes attempts and results beside it. What they took leaves out how
 * long this process, and PostgreSQL as long again, waited for a processor.
 */
function startWriter() {
  const tookMs: number[] = []
  const late = measureLateness()
  const underWay = new Set<Promise<void>>()
  const write = async () => {
    const [startedAt, lateBefore] = [performance.now(), late.seconds()]
    await fixture.database.run("select emit_event($1, null, 'submission.created', '{}'::json)", [fixture.teamId])
    tookMs.push(performance.now() - startedAt - 2_000 * (late.seconds() - lateBefore))
  }
  const timer = setInterval(() => {
    const writing = write().then(() => void underWay.delete(writing))
    underWay.add(writing)
  }, 1_000 / WRITES_PER_SECOND)
  return {
    tookMs,
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      late[Symbol.dispose]()
      return tookMs.length
    },
  }
}

/** A report or a dump: it has read of each table, and stays open. */
async function readForLong(): Promise<void> {
  const counts = [...TABLES, 'webhook_deliveries'].map((table) => `(select count(*) from ${table})`)
  await asOperator(fixture.address, `begin; select ${counts.join(', ')}; select pg_sleep(${READER_SECONDS}); commit`)
}

async function detaching(): Promise<number> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and query like '%detach partition%finalize' and wait_event_type = 'Lock'"
  return (await asOperator(fixture.address, waiting)).length
}

async function readers(): Promise<number> {
  const asleep = "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
  return (await asOperator(fixture.address, asleep)).length
}

async function daysOf(table: string): Promise<number[]> {
  const rows = await fixture.database.run<{ day: number }>(
    `select (to_date(right(c.relname, 8), 'YYYYMMDD') - (now() at time zone 'UTC')::date)::int as day
       from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::text::regclass order by 1`,
    [table],
  )
  return rows.map(({ day }) => day)
}
