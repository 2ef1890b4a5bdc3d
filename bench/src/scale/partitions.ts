import { setTimeout as delay } from 'node:timers/promises'
import { type DatabaseAddress, openDatabase } from '@earshot/db'
import { dropPastPartitions } from '@earshot/db/maintenance'
import type { Sql } from 'postgres'
import type { Figure } from './figure.ts'
import { PAST } from './fill-history.ts'
import { tookMs, type WriteLoad } from './write-load.ts'

const TABLES = ['events', 'feed_positions', 'submission_feed', 'webhook_delivery_history', 'webhook_attempts', 'audit_entries']
/** The service has partitions for 30 days. */
const FIRST_DAY_AHEAD = 31
const SETTLE_MS = 500

/** Creates the partitions of a further day and drops those of a past one, as the service does, beside writes. */
export async function measurePartitions(
  address: DatabaseAddress,
  client: Sql,
  { writes, round }: { writes: WriteLoad['writes']; round: number },
): Promise<Figure[]> {
  const worstOf = async (work: () => Promise<unknown>) => {
    const fromMs = performance.now()
    await work()
    const endedMs = performance.now()
    await delay(SETTLE_MS)
    return { tookMs: endedMs - fromMs, worstMs: Math.max(...tookMs(writes, { fromMs, toMs: endedMs + SETTLE_MS })) }
  }
  const created = await worstOf(async () => {
    for (const table of TABLES) await client`select ensure_partitions(${table}, ${FIRST_DAY_AHEAD + round}::int)`
  })
  await nameByDay(client)
  const owner = openDatabase({ address, role: 'earshot_owner', poolSize: 1, applicationName: 'earshot bench' })
  const dropped = await worstOf(async () => {
    const { dropped, held } = await dropPastPartitions(owner)
    if (dropped.length === 0 || held.length > 0) throw new Error(`Dropped ${dropped.join()}, but not of ${held.join()}.`)
  }).finally(owner.close)
  return [
    { what: 'creating the partitions of a day', value: created.tookMs, unit: 'ms' },
    { what: 'the worst public submission while they are created', value: created.worstMs, unit: 'ms' },
    { what: 'detaching and dropping the oldest day', value: dropped.tookMs, unit: 'ms' },
    { what: 'the worst public submission while it is dropped', value: dropped.worstMs, unit: 'ms' },
  ]
}

/** Gives the partitions of the past day the names by which the service finds them. */
async function nameByDay(client: Sql): Promise<void> {
  const partitions = await client<{ name: string; new_name: string }[]>`
    select relname as name, regexp_replace(relname, ${`${PAST}$`}, to_char((now() at time zone 'UTC')::date - ${FIRST_DAY_AHEAD}::int, 'YYYYMMDD')) as new_name
      from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname like ${`%\\_${PAST}`}`
  for (const { name, new_name } of partitions) await client.unsafe(`alter table ${name} rename to ${new_name}`)
}
