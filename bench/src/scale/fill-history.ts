import type { Sql, TransactionSql } from 'postgres'
import { ENDPOINTS_PER_TEAM, HISTORY_DAYS, type Sizes } from './sizes.ts'

/** Each event has three deliveries, and every fifth delivery a second attempt. */
const DELIVERIES_PER_EVENT = 3
const ATTEMPTS_PER_EVENT = DELIVERIES_PER_EVENT * 1.2

/** The name, without its day, of partitions that are older than what is kept, until they are dropped under load. */
export const PAST = 'past'

/** The statements that fill a partition from `bench.past_events` and `bench.past_deliveries`. */
const inserts: Record<string, string> = {
  events: `
    (team_id, id, project_id, type, payload, payload_sha256)
    select team_id, event_id, project_id, 'submission.created', payload, payload_sha256
      from bench.past_events
     order by event_id`,
  feed_positions: `
    (team_id, position, previous_position, event_id, type)
    select n.team_id, n.position,
           coalesce(
             lag(n.position) over (partition by n.team_id order by n.position),
             (select f.position from feed_ends f where f.team_id = n.team_id),
             0
           ),
           n.event_id, 'submission.created'
      from (select team_id, event_id, feed_position_at(uuid_extract_timestamp(event_id)) + row_number() over (order by event_id) % 500000 as position
              from bench.past_events) n
     order by n.position`,
  webhook_delivery_history: `
    (team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count, attempt_id, finished_at)
    select team_id, id, endpoint_id, event_id, 'submission.created', payload_sha256, 'succeeded', 'auto', cardinality(attempt_ids),
           attempt_ids[cardinality(attempt_ids)], uuid_extract_timestamp(attempt_ids[cardinality(attempt_ids)])
      from bench.past_deliveries
     order by id`,
  webhook_attempts: `
    (team_id, id, delivery_id, endpoint_id, number, trigger, worker_id, started_at, finished_at, duration_ms, remote_ip, status_code, response_headers, response_body, response_body_bytes)
    select d.team_id, a.id, d.id, d.endpoint_id, a.number, 'auto', 1, uuid_extract_timestamp(a.id), uuid_extract_timestamp(a.id), 12, '192.0.2.1',
           case when a.number < cardinality(d.attempt_ids) then 503 else 200 end, '{"content-type": "text/plain"}', 'ok', 2
      from bench.past_deliveries d
     cross join lateral unnest(d.attempt_ids) with ordinality a (id, number)
     order by a.id`,
}

/**
 * Fills events, their positions in the feed, deliveries and attempts of the last 30 days and of one day before, in place of
 * what there was. Low numbers of endpoints have more than others, so the large team has the busiest.
 */
export async function fillHistory(client: Sql, { teams, waiting }: Sizes, attempts: number): Promise<void> {
  await client.begin(async (tx) => {
    await tx`set local role earshot_owner`
    await tx`truncate webhook_deliveries, unnumbered_events, feed_ends, feed_late_days`
  })
  const events = Math.round(attempts / HISTORY_DAYS / ATTEMPTS_PER_EVENT)
  for (let daysAgo = HISTORY_DAYS + 1; daysAgo >= 0; daysAgo -= 1) {
    // The day that is dropped later is one more than those that are kept; the day before today's first is not needed.
    if (daysAgo === HISTORY_DAYS) continue
    await client.begin((tx) => fillDay(tx, { daysAgo, events, endpoints: teams * ENDPOINTS_PER_TEAM }))
  }
  await client`
    insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, attempt_count, next_attempt_at)
    select e.team_id, e.endpoint_id, v.event_id, 'submission.created', v.payload_sha256, 3, now() + interval '6 hours'
      from generate_series(1, ${waiting}::int) i
      join bench.endpoints e on e.number = 1 + i * 7 % ${teams * ENDPOINTS_PER_TEAM}::int
     cross join (select event_id, payload_sha256 from bench.past_events limit 1) v`
}

async function fillDay(tx: TransactionSql, { daysAgo, ...sizes }: { daysAgo: number; events: number; endpoints: number }): Promise<void> {
  await tx`set local role earshot_owner`
  const [day] = await tx<[{ name: string; starts_at: string }]>`
    select to_char(day, 'YYYYMMDD') as name, day::text as starts_at
      from (select (now() at time zone 'UTC')::date - ${daysAgo}::int as day) d`
  await preparePast(tx, day.starts_at, sizes)
  for (const table of Object.keys(inserts)) {
    const suffix = daysAgo > HISTORY_DAYS ? PAST : day.name
    await replacePartition(tx, { table, name: `${table}_${suffix}`, startsAt: day.starts_at })
  }
  await tx`
    insert into feed_ends as f (team_id, position)
    select team_id, max(position) from feed_positions where position >= feed_position_at(${day.starts_at}::timestamp at time zone 'UTC') group by team_id
        on conflict (team_id) do update set position = excluded.position`
}

/** Notes the day's events and deliveries. Times end a minute before the day or now does, so that second attempts fit. */
async function preparePast(
  tx: TransactionSql,
  startsAt: string,
  { events, endpoints }: { events: number; endpoints: number },
): Promise<void> {
  await tx`drop table if exists bench.past_deliveries, bench.past_events`
  await tx`
    create unlogged table bench.past_events as
    select p.*, b.payload, encode(sha256(convert_to(b.payload, 'UTF8')), 'hex') as payload_sha256
      from (
             select n.at, n.number, e.team_id, e.project_id, uuidv7(n.at - clock_timestamp()) as event_id
               from (select d.first + (i - 0.5) / ${events}::int * (d.last - d.first) as at,
                            1 + floor(${endpoints}::int * power(random(), 2))::int as number
                       from (select starts_at + interval '1 second' as first,
                                    least(starts_at + interval '1 day', greatest(now(), starts_at + interval '62 seconds')) - interval '60 seconds' as last
                               from (select ${startsAt}::timestamp at time zone 'UTC' as starts_at) s) d
                      cross join generate_series(1, ${events}::int) i
                     offset 0) n
               join bench.endpoints e on e.number = n.number
           ) p
     cross join lateral event_body(p.event_id, p.team_id, p.project_id, 'submission.created', json_build_object('submission', json_build_object(
             'id', p.event_id, 'kind', 'text', 'state', 'pending', 'channel', 'public', 'body', 'Saved us a week, and more than that.', 'rating', 5,
             'author', json_build_object('name', 'Ada Lovelace', 'email', 'ada@example.com', 'company', 'Analytical Engines'),
             'consent', json_build_object('granted', true), 'tags', '{launch}'::text[], 'metadata', '{"page": "/pricing"}'::json))) b (payload)`
  await tx`
    create unlogged table bench.past_deliveries as
    select e.team_id, e.endpoint_id, v.event_id, v.payload_sha256, uuidv7(v.at - clock_timestamp()) as id,
           case when (v.number + j) % 5 = 0
             then array[uuidv7(v.at - clock_timestamp()), uuidv7(v.at - clock_timestamp() + interval '30 seconds')]
             else array[uuidv7(v.at - clock_timestamp())]
           end as attempt_ids
      from bench.past_events v
     cross join generate_series(0, ${DELIVERIES_PER_EVENT - 1}::int) j
      join bench.endpoints e
        on e.number = (v.number - 1) / ${ENDPOINTS_PER_TEAM}::int * ${ENDPOINTS_PER_TEAM}::int + 1 + (v.number - 1 + j * 7) % ${ENDPOINTS_PER_TEAM}::int`
}

/** Replaces a partition by a filled one. A table that is filled before it is attached writes no log, and sorts its indexes. */
async function replacePartition(
  tx: TransactionSql,
  { table, name, startsAt }: { table: string; name: string; startsAt: string },
): Promise<void> {
  const lowest = table === 'feed_positions' ? 'feed_position_at' : 'uuid_at'
  const bound = (days: number) => `${lowest}(('${startsAt}'::date + ${days})::timestamp at time zone 'UTC')`
  await tx.unsafe(`drop table if exists ${name}`)
  await tx.unsafe(`create table ${name} (like ${table} including all excluding indexes)`)
  if (table === 'feed_positions')
    await tx.unsafe(`alter table ${name} alter column team_id set (n_distinct = 10), alter column type set (n_distinct = 11)`)
  await tx.unsafe(`revoke all on ${name} from earshot_app, earshot_worker`)
  await tx.unsafe(`insert into ${name} ${inserts[table]}`)
  await tx.unsafe(`alter table ${table} attach partition ${name} for values from (${bound(0)}) to (${bound(1)})`)
}
