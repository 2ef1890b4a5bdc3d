import { openDatabase } from '@earshot/db'
import { deletePast, dropPastPartitions, ensurePartitions } from '@earshot/db/maintenance'
import { createDatabaseMail, createOwnAddresses, createSecretBox } from '@earshot/drivers'
import { startWorker } from '@earshot/jobs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { forgetDeadWorkers, registerWorker } from '../../db/src/dispatch/workers.ts'
import { schedule } from '../../jobs/src/job-queue.ts'
import { openTestBlobStore } from '../support/test-blob-store.ts'
import { transcoding } from '../support/transcoding.ts'
import { until } from '../support/until.ts'
import { asOperator, keepingLog, openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

const TABLES = ['audit_entries', 'events', 'feed_positions', 'submission_feed', 'webhook_attempts', 'webhook_delivery_history']

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(() => fixture.close())

const daysOf = async (table: string) => {
  const rows = await fixture.database.client<{ day: number }[]>`
    select (to_date(right(c.relname, 8), 'YYYYMMDD') - (now() at time zone 'UTC')::date)::int as day
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${table}::regclass order by 1`
  return rows.map(({ day }) => day)
}
const ownerPool = () =>
  openDatabase({ address: fixture.address, role: 'earshot_owner', poolSize: 2, applicationName: 'earshot test owner' })
const partitionName = (table: string, day: number) => {
  const date = new Date(Date.now() + day * 86_400_000)
  return `${table}_${date.toISOString().slice(0, 10).replaceAll('-', '')}`
}
const addPartition = (table: string, day: number) => {
  const lowest = table.includes('feed') ? 'feed_position_at' : 'uuid_at'
  const at = (offset: number) =>
    `${lowest}(date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' + ${day + offset} * interval '1 day')`
  return asOperator(
    fixture.address,
    `set role earshot_owner;
     do $$ begin execute format('create table ${partitionName(table, day)} partition of ${table} for values from (%L) to (%L)', ${at(0)}, ${at(1)}); end $$`,
  )
}

test('partitions are created 30 days ahead, and creating them again changes nothing', async () => {
  await ensurePartitions(fixture.database)
  for (const table of TABLES) {
    // Where midnight has passed since the template was made, there is one day more in the past.
    const days = (await daysOf(table)).filter((day) => day >= -1)
    expect(days).toEqual(Array.from({ length: 32 }, (_, index) => index - 1))
  }
})

test('dropping partitions has a queue of its own, so that no other task waits for it', () => {
  const tasks = Map.groupBy(schedule(), ({ options }) => options.queueName)
  expect(tasks.get('partitions')?.map(({ task }) => task)).toEqual(['partitions'])
})

test('expired partitions are dropped, also after an interrupted run; the rest stay', async () => {
  for (const table of TABLES) for (const day of [-31, -30]) await addPartition(table, day)
  await addPartition('audit_entries', -366)
  await addPartition('events', -40)
  await addPartition('events', -41)
  await asOperator(fixture.address, `alter table events detach partition ${partitionName('events', -41)}`)
  await leaveHalfDetached(partitionName('events', -40))

  const owner = ownerPool()
  const { dropped } = await dropPastPartitions(owner)
  expect(dropped.sort()).toEqual(
    [
      partitionName('audit_entries', -366),
      partitionName('events', -41),
      partitionName('events', -40),
      partitionName('events', -31),
      partitionName('feed_positions', -31),
      partitionName('submission_feed', -31),
      partitionName('webhook_attempts', -31),
      partitionName('webhook_delivery_history', -31),
    ].sort(),
  )
  expect(await dropPastPartitions(owner)).toEqual({ dropped: [], held: [] })
  await owner.close()
  expect((await daysOf('events'))[0]).toBe(-30)
  expect((await daysOf('audit_entries'))[0]).toBe(-31)
})

test('retention deletes expired rows and nothing else', async () => {
  const { client } = fixture.database
  await fixture.addEndpoint('http://127.0.0.1:9/')
  await fixture.emit()
  await client`
    insert into webhook_deliveries (team_id, id, endpoint_id, event_id, event_type, payload_sha256)
    select team_id, uuid_at(now() - interval '30 days' - n * interval '1 second'), endpoint_id, event_id, event_type, payload_sha256
      from webhook_deliveries, generate_series(1, 2500) n`
  await client`
    insert into webhook_attempt_hours (
           team_id, endpoint_id, hour, succeeded, retried, bad_responses, timeouts, connection_errors, interrupted, latency_counts)
    select team_id, id, now() - hours * interval '1 hour', 1, 0, 0, 0, 0, 0, '{1}' from webhook_endpoints, unnest(array[30 * 24 + 2, 31 * 24 + 1]) hours`
  await client`
    insert into webhook_replays (team_id, id, endpoint_id, after_event_id, before_event_id, remaining)
    select team_id, uuid_at(now() - interval '3 days'), id, id, id, 1 from webhook_endpoints`
  await client`
    insert into idempotency_keys (caller, key, request_hash, created_at)
    values ('a', 'old', '', now() - interval '25 hours'), ('a', 'new', '', now() - interval '23 hours')`
  await client`
    insert into mails (id, recipient, template, fields)
    select uuid_at(now() - days * interval '1 day'), 'ada@example.com', 'mfa-enabled', '{}' from unnest(array[29, 31]) days`
  await client`
    insert into users (id, email, name, email_verified_at)
    select uuid_at(now() - days * interval '1 day' - verified::int * interval '1 second'), days || verified::text, 'Ada', case when verified then now() end
      from unnest(array[29, 31]) days, unnest(array[false, true]) verified`
  await client`
    insert into account_links (user_id, purpose, hash, expires_at)
    select id, purpose, (id || purpose)::bytea, now() - hours * interval '1 hour'
      from users, (values ('verify', 23), ('reset', 25)) past (purpose, hours) where email = '29false'`
  await client`
    insert into invitations (team_id, email, role, token_hash, state, accepted_at, revoked_at, expires_at)
    select ${fixture.teamId}, state || days, 'viewer', (state || days)::bytea, state,
           case state when 'accepted' then now() - days * interval '1 day' end,
           case state when 'revoked' then now() - days * interval '1 day' end,
           now() - case state when 'pending' then days else 85 end * interval '1 day'
      from unnest(array['accepted', 'revoked', 'pending']) state, unnest(array[89, 91]) days`
  await client`
    insert into feed_late_days
    select now()::date - days, feed_position_at(now() - (days - 1) * interval '1 day') from unnest(array[31, 33]) days`
  await client`
    insert into rate_windows
    values ('old', now() - interval '3 hours', 1), ('new', now(), 1), ('day:old', now() - interval '26 hours', 1), ('day:new', now() - interval '24 hours', 1)`
  await client`
    insert into visitor_fingerprints (team_id, project_id, fingerprint, record_id)
    select ${fixture.teamId}, ${fixture.teamId}, minutes::text::bytea, uuid_at(now() - minutes * interval '1 minute')
      from unnest(array[9, 11]) minutes`
  await client`
    insert into abuse_blocks (address, violations, blocked_until)
    values ('old trip', array[now() - interval '25 hours'], null), ('new trip', array[now()], null),
           ('old block', '{}', now() - interval '25 hours'), ('new block', '{}', now() - interval '23 hours')`
  await client`
    with log_in as (
      insert into credentials (kind, hash, user_id, scopes) select 'jwt', 'tokens', id, '{}' from users limit 1 returning id
    ),
    refreshes as (
      insert into refresh_tokens (hash, credential_id, expires_at)
      select hours::text::bytea, id, now() - hours * interval '1 hour' from log_in, unnest(array[23, 25]) hours
    )
    insert into access_tokens (hash, credential_id, scopes, expires_at)
    select hours::text::bytea, id, '{}', now() - hours * interval '1 hour' from log_in, unnest(array[23, 25, 26]) hours`
  await client`
    insert into wrong_codes (id, user_id)
    select uuid_at(now() - hours * interval '1 hour'), u.id
      from (select id from users where email_verified_at is not null limit 1) u, unnest(array[23, 25]) hours`
  await client`
    insert into jwt_keys (id, public_key, sealed_private, retires_at)
    values ('signing', '{}', '', null), ('verifying', '{}', '', now() + interval '1 minute'), ('retired', '{}', '', now() - interval '1 second')`
  await client`
    with allowed as (
      insert into credentials (kind, user_id, client_id, scopes)
      select 'oauth2', u.id, o.id, '{}' from users u, oauth_clients o limit 1
      returning id, client_id
    ),
    ends as (
      select a.*, hours::text::bytea as hash, now() - hours * interval '1 hour' as at from allowed a, unnest(array[23, 25]) hours
    ),
    code as (
      insert into authorization_codes (hash, credential_id, redirect_uri, code_challenge, expires_at) select hash, id, '', '', at from ends
    )
    insert into device_codes (hash, user_code_mac, client_id, scopes, expires_at) select hash, hash, client_id, '{}', at from ends`
  expect(await deletePast(fixture.database)).toEqual({
    jwt_keys: 1,
    access_tokens: 2,
    refresh_tokens: 1,
    refresh_tokens_of_ended: 0,
    webhook_deliveries: 2500,
    webhook_attempt_hours: 1,
    webhook_replays: 1,
    mails: 1,
    idempotency_keys: 1,
    rate_windows: 2,
    wrong_codes: 1,
    abuse_blocks: 2,
    feed_late_days: 1,
    account_links: 1,
    users: 1,
    invitations: 3,
    authorization_codes: 1,
    device_codes: 1,
    visitor_fingerprints: 1,
  })
})

test('the worker runs every scheduled task', async () => {
  await fixture.addEndpoint('http://127.0.0.1:9/')
  await fixture.database.client`
    update webhook_endpoints
       set state = 'active', consecutive_failures = 10, last_success_at = now() - interval '6 days',
           first_failed_at = now() - interval '1 day', last_failed_at = now()`
  const { log, messages } = keepingLog()
  const blobStore = await openTestBlobStore()
  const worker = await startWorker({
    transcoding,
    address: fixture.address,
    secretBox: createSecretBox(fixture.secretKey),
    concurrency: 2,
    mailDriver: createDatabaseMail(),
    blobStore,
    baseUrl: 'http://localhost:8000',
    log,
    webhooks: {
      ...{ allowNetworks: [], allowInsecure: true, localTrial: true, backoffBaseMs: 50 },
      ownAddresses: createOwnAddresses([]),
      version: '1.2.3',
    },
  })
  await asOperator(
    fixture.address,
    `select graphile_worker.add_job(task) from unnest('{blobs,orphans,partitions,payloads,retention,purge,disabling,notifications}'::text[]) task`,
  )
  await until('all have run', () =>
    ['expired partitions', 'expired records', 'Removed payloads', 'Purged', 'Disabled', 'Queued mails', 'Noted blobs'].every((part) =>
      messages.some((line) => line.includes(part)),
    ),
  )
  const [scheduled] = await asOperator(
    fixture.address,
    'select array_agg(identifier order by identifier) as tasks from graphile_worker._private_known_crontabs',
  )
  expect(scheduled?.tasks).toEqual(['blobs', 'disabling', 'notifications', 'orphans', 'partitions', 'payloads', 'purge', 'retention'])

  expect(await fixture.database.client`select job_pool_id like 'pool-%' as named from webhook_workers`).toEqual([{ named: true }])
  await freesJobsOfTheDead()
  await worker.stop({ timeoutMs: 5_000 })
  await blobStore.close()
  const [{ sessions } = {}] = await asOperator(
    fixture.address,
    `select count(*)::int as sessions from pg_stat_activity where datname = current_database() and application_name like 'earshot worker%'`,
  )
  expect(sessions).toBe(0)
})

async function freesJobsOfTheDead(): Promise<void> {
  await asOperator(fixture.address, `select graphile_worker.add_job('mails', run_at := now() + interval '1 day')`)
  await asOperator(
    fixture.address,
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'dead-pool' where run_at > now()`,
  )
  await fixture.database.client`insert into webhook_workers (job_pool_id, seen_at) values ('dead-pool', now() - interval '1 minute')`
  const judge = await registerWorker(fixture.database, { jobPoolId: null })
  await fixture.database.client`update webhook_workers set steady_since = now() - interval '1 minute' where id = ${judge}`
  await until('the dead worker is forgotten', async () => {
    await forgetDeadWorkers(fixture.database, judge)
    return (await fixture.database.client`select from webhook_workers where job_pool_id = 'dead-pool'`).length === 0
  })
  const [job] = await asOperator(fixture.address, 'select locked_by from graphile_worker._private_jobs where run_at > now()')
  expect(job?.locked_by).toBeNull()
}

/** A reader of the table keeps the detaching from its end, and then the session is cut off. */
async function leaveHalfDetached(partition: string): Promise<void> {
  const owner = ownerPool()
  const isWaiting = `select pid from pg_stat_activity where datname = current_database() and query like '% concurrently' and wait_event_type = 'Lock'`
  await owner.transaction(async (reader) => {
    await reader.run('select count(*) from events', [])
    const detaching = owner.run(`alter table events detach partition ${partition} concurrently`, []).catch(() => {})
    await until('the detaching waits', async () => (await asOperator(fixture.address, isWaiting)).length === 1)
    await asOperator(fixture.address, isWaiting.replace('select pid', 'select pg_terminate_backend(pid)'))
    await detaching
  })
  await owner.close()
}
