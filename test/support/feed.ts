import type { Database } from '@earshot/db'

/**
 * Writes one event of a team as it lies in the feed: `day` is that of the event, `numberedOn` that of its position, both days
 * from today at noon. Call in the order of the feed, with one event written before to copy. Returns the event's id and its cursor.
 */
export async function writePastEvent(
  { run }: Pick<Database, 'run'>,
  team_id: string,
  { day, numberedOn = day }: { day: number; numberedOn?: number },
): Promise<{ id: string; cursor: string }> {
  const noon = (days: string) => `(date_trunc('day', now(), 'UTC') + interval '12 hours' + ${days}::int * interval '1 day')`
  const [row] = await run<{ id: string; position: string }>(
    `with event as (
       insert into events (team_id, id, type, payload, payload_sha256)
       select $1::uuid, v.id, sample.type, jsonb_set(sample.payload::jsonb, '{id}', to_jsonb(v.id)), ''
         from (select uuidv7(${noon('$2')} - now()) as id) v, (select type, payload from events order by id limit 1) sample
       returning team_id, id, type
     ),
     position as (
       insert into feed_positions (team_id, position, previous_position, event_id, type)
       select team_id, (select count(*) from feed_positions where team_id = $1) + feed_position_at(${noon('$3')}), coalesce((select position from feed_ends where team_id = $1), 0), id, type
         from event
       returning team_id, position, event_id
     ),
     late_day as (
       insert into feed_late_days
       select ${noon('$2')}::date, position from position where $2::int < $3::int
     )
     insert into feed_ends
     select team_id, position from position
         on conflict (team_id) do update set position = excluded.position
     returning (select event_id from position) as id, position`,
    [team_id, day, numberedOn],
  )
  if (!row) throw new Error('No event was written')
  return { id: row.id, cursor: cursorAt(BigInt(row.position)) }
}

/** Takes the last event of a team out of the feed, as a restore of a backup from before it does. */
export async function loseLastEvent({ run }: Pick<Database, 'run'>, team_id: string): Promise<void> {
  await run(
    `with lost as (
       delete from feed_positions p using feed_ends e
        where p.team_id = $1 and e.team_id = p.team_id and p.position = e.position
       returning p.previous_position
     )
     update feed_ends set position = previous_position from lost where team_id = $1`,
    [team_id],
  )
}

/** Makes partitions of past days, which the service drops in the end. */
export function pastPartitions(days: readonly number[]): string {
  const statements = days.flatMap((day) =>
    ['events', 'feed_positions'].map((table) => {
      const lowest = table === 'events' ? 'uuid_at' : 'feed_position_at'
      const at = (offset: number) => `${lowest}(date_trunc('day', now(), 'UTC') + interval '${day + offset} days')`
      return `do $$ begin
        execute format('create table if not exists ${table}_%s partition of ${table} for values from (%L) to (%L)',
          to_char((now() at time zone 'UTC')::date + ${day}, 'YYYYMMDD'), ${at(0)}, ${at(1)});
      end $$`
    }),
  )
  return `set role earshot_owner; ${statements.join(';')}`
}

export function cursorAt(position: bigint): string {
  return `f${position.toString(36)}`
}
