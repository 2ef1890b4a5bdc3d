import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { quantile } from '../figures.ts'
import type { Team } from '../teams.ts'
import type { Figure } from './figure.ts'
import { tookMs, type WriteLoad } from './write-load.ts'

const POLL_MS = 50

/** Has the purge job remove a team with many submissions, beside public submissions to other teams. */
export async function measurePurge(
  client: Sql,
  { writes }: WriteLoad,
  { team, loadSeconds }: { team: Team; loadSeconds: number },
): Promise<Figure[]> {
  const quietMs = performance.now()
  await delay(loadSeconds * 1000)
  await client`update teams set deleted_at = now() - interval '2 days' where id = ${team.id}`
  const [{ count }] = await client<[{ count: number }]>`select count(*)::int as count from submissions where team_id = ${team.id}`
  const startedMs = performance.now()
  await client`select enqueue_job('purge', '{}')`
  while ((await client`select from teams where id = ${team.id}`).length > 0) await delay(POLL_MS)
  const endedMs = performance.now()
  const p99 = (fromMs: number, toMs: number) => quantile(tookMs(writes, { fromMs, toMs }), 0.99)
  return [
    { what: `a purge of a team with ${count} submissions`, value: (count * 1000) / (endedMs - startedMs), unit: '/s', isRate: true },
    { what: 'p99 of public submissions, 50/s, before it', value: p99(quietMs, startedMs), unit: 'ms' },
    { what: 'p99 of public submissions beside it', value: p99(startedMs, endedMs), unit: 'ms' },
  ]
}
