import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import type { BareSend } from '../bare-sender.ts'
import { startChild } from '../child-process.ts'
import { findPostgres } from '../postgres-process.ts'
import type { PartReport } from '../report.ts'
import { analyze, type Team } from '../teams.ts'
import { type Cost, costOf, costsTable, medianOf } from '../webhooks/cost.ts'
import { openWebhookFixture, type WebhookFixture } from '../webhooks/fixture.ts'
import { payloadOf } from '../webhooks/payload.ts'

const ENDPOINTS = 10
const GOAL = 0.9
/** Backends of PostgreSQL report their counts once a second. */
const COUNTS_MS = 1_500

/** Measures a delivery by the dispatcher against a bare loop of POST and insert, and counts its SQL statements. */
export async function benchDeliveries({ rounds, deliveries }: { rounds: number; deliveries: number }): Promise<PartReport> {
  await using fixture = await openWebhookFixture()
  await using bare = await startChild(new URL('../bare-sender.ts', import.meta.url))
  const { service, database, url } = fixture
  const [team] = fixture.teams as [Team]
  await fixture.addEndpoints(team, ENDPOINTS, 'busy')
  const postgresPid = await findPostgres(database)
  const payload = await payloadOf(fixture, team)
  const sending: BareSend = { address: service.address, url, payload, deliveries, team_id: team.id }
  const costs = { dispatcher: [] as Cost[], bare: [] as Cost[] }
  for (let round = 0; round <= rounds; round += 1) {
    await write(fixture, team, deliveries)
    const dispatched = await costOf({ pid: service.pid, postgresPid }, deliveries, () => fixture.waitForReceipts(deliveries))
    const sent = await costOf({ pid: bare.pid, postgresPid }, deliveries, () => bare.call(sending))
    // The first round warms both up and leaves rows to analyze, as autovacuum would within a minute.
    if (round === 0) await analyze(database)
    else costs.dispatcher.push(dispatched)
    if (round > 0) costs.bare.push(sent)
  }
  const statements = await statementsOf(fixture, team, deliveries)
  const ratio = medianOf(costs.bare, 'microseconds') / medianOf(costs.dispatcher, 'microseconds')
  const rate = medianOf(costs.dispatcher, 'perSecond') / medianOf(costs.bare, 'perSecond')
  return {
    title: `Deliveries to a local receiver, ${ENDPOINTS} endpoints`,
    findings: [
      { what: 'deliveries/s, dispatcher ÷ bare loop', figure: rate.toFixed(2), goal: `≥ ${GOAL}`, met: rate >= GOAL },
      { what: 'processor time, bare loop ÷ dispatcher', figure: ratio.toFixed(2), goal: `≥ ${GOAL}`, met: ratio >= GOAL },
      { what: 'SQL statements per delivery', figure: statements.toFixed(3), goal: '', met: null },
    ],
    details: [costsTable(costs)],
  }
}

/** Emits all events at once, one delivery for each endpoint, outside the measurement: the bare loop has no events. */
async function write({ receiver, emit }: WebhookFixture, team: Team, deliveries: number): Promise<void> {
  await receiver.call('forget')
  await emit(team, deliveries / ENDPOINTS)
}

/** Counts the statements per delivery: each is its own transaction. Polls and heartbeats in that time are included. */
async function statementsOf(fixture: WebhookFixture, team: Team, deliveries: number): Promise<number> {
  const before = await transactions(fixture.database)
  await write(fixture, team, deliveries)
  await fixture.waitForReceipts(deliveries)
  await delay(COUNTS_MS)
  return ((await transactions(fixture.database)) - before) / deliveries
}

async function transactions({ client }: Database): Promise<number> {
  const [row] = await client<[{ count: number }]>`
    select xact_commit::float8 as count from pg_stat_database where datname = current_database()`
  return row.count
}
