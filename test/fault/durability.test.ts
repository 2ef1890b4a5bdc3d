import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isLongForm } from '../support/form.ts'
import { until } from '../support/until.ts'
import { type Absences, causeFaults, causesOf, drawFaults, type Form, type Happened } from './durability/faults.ts'
import { countDuplicates, percentile, type Recovery, recoveriesOf } from './durability/figures.ts'
import { type DurabilityFixture, openDurabilityFixture } from './durability/fixture.ts'
import { startFollower } from './durability/follower.ts'
import { contradictions, type History, readHistory } from './durability/history.ts'
import { type Publisher, startPublisher } from './durability/publisher.ts'

const EVENTS_PER_SECOND = 100
const RECOVERED_WITHIN_MS = 10_000
/** After the last fault. */
const SETTLED_WITHIN_MS = 100_000
const SETTLE_POLL_MS = 500

const SHORT: Form & Absences = {
  counts: { kill: 8, restart: 1, pause: 1, 'receiver away': 1, 'database away': 1 },
  ...{ pauseMs: 8_000, receiverAwayMs: 3_000, databaseAwayMs: 4_000, gapMs: { min: 500, max: 3_000 } },
}
/** `npm run test:fault`. */
const LONG: Form & Absences = {
  counts: { kill: 50, restart: 5, pause: 3, 'receiver away': 2, 'database away': 1 },
  ...{ pauseMs: 60_000, receiverAwayMs: 30_000, databaseAwayMs: 60_000, gapMs: { min: 500, max: 8_000 } },
}
const form = isLongForm ? LONG : SHORT
const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))
const LONGEST_MS = isLongForm ? 30 * 60_000 : 3 * 60_000

test(`after kills, restarts, pauses and outages every acknowledged change is delivered and recorded (FAULT_SEED=${seed})`, {
  timeout: LONGEST_MS,
}, async () => {
  await using stack = new AsyncDisposableStack()
  const fixture = await openDurabilityFixture(stack)
  const { fleet, recorder, database, teams } = fixture
  const api = () => fleet.apis()[0] ?? null
  const follower = startFollower(api, teams)
  const publisher = startPublisher(api, teams, EVENTS_PER_SECOND)
  const happened = await causeFaults(causesOf(fixture, form), drawFaults(form, seed))
  await publisher.stop()
  await fleet.whole()
  await settle(fixture)
  await follower.stop()
  await recorder[Symbol.asyncDispose]()

  const history = await readHistory(database, recorder.receipts)
  const recoveries = recoveriesOf(history, happened, fleet.idle)
  console.log(describe(happened, history, publisher, recoveries))
  expect(contradictions(history, publisher.acknowledged).slice(0, 20)).toEqual([])
  for (const { id } of teams) {
    const inOrder = history.events.filter(({ team_id }) => team_id === id).map((event) => event.id)
    expect(follower.followed(id)).toEqual(inOrder)
  }
  expect(fleet.unexpectedEnds).toEqual([])
  expect(
    percentile(
      recoveries.map(({ ms }) => ms),
      0.99,
    ),
  ).toBeLessThan(RECOVERED_WITHIN_MS)
})

/**
 * Waits until nothing is due or in flight and each event has its number. Where the receiver was away twice in a row, the next
 * attempt may lie a quarter of an hour ahead: its time is made to come.
 */
async function settle({ database: { client } }: DurabilityFixture): Promise<void> {
  const open = () => client`
    (select from webhook_deliveries limit 1)
    union all
    (select from unnumbered_events limit 1)`
  const isSettled = async () => {
    if ((await open()).length === 0) return true
    await client`update webhook_deliveries set next_attempt_at = now() where state = 'pending' and next_attempt_at > now()`
    await delay(SETTLE_POLL_MS)
    return false
  }
  await until('all is delivered and numbered', isSettled, SETTLED_WITHIN_MS).catch(async (error) => {
    console.log(await describeOpen(client))
    throw error
  })
}

/** Describes what is left undone, for a run that fails. */
async function describeOpen(client: DurabilityFixture['database']['client']): Promise<string> {
  const deliveries = await client`
    select state, trigger, attempt_count, worker_id, count(*)::int as count,
           min(next_attempt_at) - now() as first_due_in, max(next_attempt_at) - now() as last_due_in, max(lease_until) - now() as lease_ends_in
      from webhook_deliveries
     group by state, trigger, attempt_count, worker_id`
  const events = await client`select count(*)::int as count, min(uuid_extract_timestamp(event_id)) as first from unnumbered_events`
  const workers = await client`select id, now() - seen_at as last_heartbeat from webhook_workers`
  const sessions = await client`
    select application_name, state, wait_event_type, now() - xact_start as transaction_age, left(query, 80) as query
      from pg_stat_activity
     where datname = current_database() and xact_start is not null`
  return JSON.stringify({ deliveries, events, workers, sessions }, null, 1)
}

function describe(happened: readonly Happened[], history: History, { acknowledged, failed }: Publisher, recoveries: Recovery[]): string {
  const count = (kind: string) => happened.filter((fault) => fault.kind === kind).length
  const figures = (values: number[]) => [0.5, 0.99, 1].map((share) => Math.round(percentile(values, share))).join(', ')
  return [
    `kills ${count('kill')}, restarts of PostgreSQL ${count('restart')}, pauses ${count('pause')}, receiver away ${count('receiver away')}, database away ${count('database away')}`,
    `acknowledged ${acknowledged.created.length + acknowledged.approved.length} changes (${failed()} requests failed), ${history.events.length} events`,
    `${history.deliveries.length} deliveries, ${history.attempts.length} attempts, ${history.receipts.length} receipts, of them ${countDuplicates(history)} duplicates`,
    `recovered of killed workers: ${recoveries.length}; p50, p99, worst ${figures(recoveries.map(({ ms }) => ms))} ms, with outages ${figures(recoveries.map(({ fromMs, toMs }) => toMs - fromMs))} ms`,
  ].join('\n')
}
