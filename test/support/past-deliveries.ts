import type { Database } from '@earshot/db'

/** What names a record of these tables by an id that begins with its time. */
const IDS: Record<string, string[]> = {
  events: ['id'],
  webhook_deliveries: ['id', 'event_id', 'replay_of'],
  webhook_delivery_history: ['id', 'event_id', 'attempt_id', 'replay_of'],
  webhook_attempts: ['id', 'delivery_id'],
  feed_positions: ['event_id'],
}
const DAYS = ['events', 'feed_positions', 'webhook_delivery_history', 'webhook_attempts']

/** Makes the events of a team, their deliveries, attempts and places in the feed older. Returns the new id of one of them. */
export async function makeOlder(
  { run }: Pick<Database, 'run'>,
  team_id: string,
  { days, id }: { days: number; id: string },
): Promise<string> {
  const older = (column: string) =>
    `(left(uuid_at(uuid_extract_timestamp(${column}) - ${days} * interval '1 day')::text, 13) || substr(${column}::text, 14))::uuid`
  for (const [table, columns] of Object.entries(IDS)) {
    const changes = columns.map((column) => `${column} = ${older(column)}`)
    await run(`update ${table} set ${changes.join(', ')} where team_id = $1`, [team_id])
  }
  const ms = `(${days}::bigint * 86400000 << 20)`
  await run(
    `update feed_positions
        set position = position - ${ms}, previous_position = case previous_position when 0 then 0 else previous_position - ${ms} end
      where team_id = $1`,
    [team_id],
  )
  await run(`update feed_ends set position = position - ${ms} where team_id = $1`, [team_id])
  const [row] = await run<{ id: string }>(`select ${older('$1::uuid')} as id`, [id])
  return row?.id ?? ''
}

/** The statement that makes partitions of past days for all of them. */
export function pastDays(days: readonly number[]): string {
  const statements = days.flatMap((day) =>
    DAYS.map((table) => {
      const lowest = table === 'feed_positions' ? 'feed_position_at' : 'uuid_at'
      const at = (offset: number) => `${lowest}(date_trunc('day', now(), 'UTC') + interval '${day + offset} days')`
      return `do $$ begin
        execute format('create table if not exists ${table}_%s partition of ${table} for values from (%L) to (%L)',
          to_char((now() at time zone 'UTC')::date + ${day}, 'YYYYMMDD'), ${at(0)}, ${at(1)});
      end $$`
    }),
  )
  return `set role earshot_owner; ${statements.join(';')}`
}
