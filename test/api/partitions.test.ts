import { ensurePartitions } from '@earshot/db/maintenance'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepPartitions } from '../../app/partitions.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { asOperator, keepingLog } from '../support/webhook-fixture.ts'

const TABLES = ['audit_entries', 'events', 'feed_positions', 'submission_feed', 'webhook_attempts']

let store: TestDatabase
let service: TestService
let team: Team
beforeEach(async () => {
  store = await openTestDatabase()
  service = await startTestService({ database: store.database }, { store })
  team = await makeTeam(store.database)
})
afterEach(async () => {
  await service.close()
  await store.close()
})

test('a process without a worker keeps the partitions of 30 days ahead', async () => {
  await forgetPartitionsFrom(3)
  expect(await daysAhead()).toBe(2)
  const { log } = keepingLog()
  const stop = keepPartitions({ address: store.address, log }, 50)
  await expect.poll(daysAhead).toBe(30)
  await stop()
})

test('a database whose partitions ran out creates them when they are missed, and no write fails', async () => {
  await forgetPartitionsFrom(-1)
  expect(await daysAhead()).toBe(-1)
  const written = await Promise.all(Array.from({ length: 8 }, () => team.submit()))
  expect(new Set(written.map(({ id }) => id)).size).toBe(8)
  const project = await service.send('POST', `/api/v1/teams/${team.id}/projects/`, {
    token: team.token,
    headers: { 'idempotency-key': 'once' },
    body: { name: 'Written in a transaction' },
  })
  expect(project.status).toBe(201)
  expect(await daysAhead()).toBe(1)
  const events = await store.database.run('select from events where team_id = $1', [team.id])
  expect(events.length).toBeGreaterThanOrEqual(8)
})

test('/readyz and /metrics tell for how many days there are partitions', async () => {
  await forgetPartitionsFrom(5)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  for (const table of TABLES) expect(metrics).toContain(`earshot_partition_days_ahead{table="${table}"} 4`)
  expect(await service.send('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready', partition_days_ahead: 4 } })
  await ensurePartitions(store.database)
  expect(await daysAhead()).toBe(30)
})

async function daysAhead(): Promise<number> {
  return (await service.send('GET', '/readyz')).body.partition_days_ahead
}

/** Drops all partitions from a day on, as if no process had made any since. */
async function forgetPartitionsFrom(day: number): Promise<void> {
  await asOperator(
    store.address,
    `do $$ declare v_name text; begin
       for v_name in
         select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where c.relname ~ '_[0-9]{8}$' and c.relkind = 'r' and to_date(right(c.relname, 8), 'YYYYMMDD') >= (now() at time zone 'UTC')::date + ${day}
       loop
         execute format('drop table %I', v_name);
       end loop;
     end $$`,
  )
}
