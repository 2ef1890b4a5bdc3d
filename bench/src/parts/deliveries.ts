import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import type { BareSending } from '../bare-sender.ts'
import { startChild } from '../child-process.ts'
import { findPostgres } from '../postgres-process.ts'
import type { PartReport } from '../report.ts'
import { analyze, type Team } from '../teams.ts'
import { type Cost, costOf, costsTable, middle } from '../webhooks/cost.ts'
import { openWebhookGround, type WebhookGround } from '../webhooks/fixture.ts'

const ENDPOINTS = 10
const GOAL = 0.9
/** PostgreSQL's sessions tell their counts once a second. */
const COUNTS_MS = 1_500

/** What the dispatcher costs a delivery beside a bare loop of POST and insert, and how many statements it takes. */
export async function benchDeliveries({ rounds, deliveries }: { rounds: number; deliveries: number }): Promise<PartReport> {
  await using ground = await openWebhookGround()
  await using bare = await startChild(new URL('../bare-sender.ts', import.meta.url))
  const { service, database, url } = ground
  const [team] = ground.teams as [Team]
  await ground.addEndpoints(team, ENDPOINTS, 'busy')
  const postgresPid = await findPostgres(database)
  const payload = await payloadOf(ground, team)
  const sending: BareSending = { address: service.address, url, payload, deliveries, team_id: team.id }
  const costs = { dispatcher: [] as Cost[], bare: [] as Cost[] }
  for (let round = 0; round <= rounds; round += 1) {
    await write(ground, team, deliveries)
    const dispatched = await costOf({ pid: service.pid, postgresPid }, deliveries, () => ground.arrival(deliveries))
    const sent = await costOf({ pid: bare.pid, postgresPid }, deliveries, () => bare.ask(sending))
    // The first round warms both up, and leaves rows for statistics, as autovacuum finds them within its minute.
    if (round === 0) await analyze(database)
    else costs.dispatcher.push(dispatched)
    if (round > 0) costs.bare.push(sent)
  }
  const statements = await statementsOf(ground, team, deliveries)
  const ratio = middle(costs.bare, 'microseconds') / middle(costs.dispatcher, 'microseconds')
  const rate = middle(costs.dispatcher, 'perSecond') / middle(costs.bare, 'perSecond')
  return {
    title: `Deliveries to a local receiver, ${ENDPOINTS} endpoints`,
    findings: [
      { what: 'deliveries/s, dispatcher ÷ bare loop', figure: rate.toFixed(2), goal: `≥ ${GOAL}`, met: rate >= GOAL },
      { what: 'processor time, bare loop ÷ dispatcher', figure: ratio.toFixed(2), goal: `≥ ${GOAL}`, met: ratio >= GOAL },
      { what: 'SQL statements a delivery', figure: statements.toFixed(3), goal: '', met: null },
    ],
    details: [costsTable(costs)],
  }
}

/** The events are there at once, one delivery for each endpoint: a change's own cost, which the bare loop does not have either. */
async function write({ receiver, emit }: WebhookGround, team: Team, deliveries: number): Promise<void> {
  await receiver.ask('forget')
  await emit(team, deliveries / ENDPOINTS)
}

/** The bare loop sends what the service does. */
async function payloadOf({ database, emit }: WebhookGround, team: Team): Promise<string> {
  await emit(team)
  const [row] = await database.client<[{ payload: string }]>`select payload from events where team_id = ${team.id} limit 1`
  return row.payload
}

/** Each of the worker's statements is a transaction of its own; its ticks and heartbeats meanwhile are counted too. */
async function statementsOf(ground: WebhookGround, team: Team, deliveries: number): Promise<number> {
  const before = await transactions(ground.database)
  await write(ground, team, deliveries)
  await ground.arrival(deliveries)
  await delay(COUNTS_MS)
  return ((await transactions(ground.database)) - before) / deliveries
}

async function transactions({ client }: Database): Promise<number> {
  const [row] = await client<[{ count: number }]>`
    select xact_commit::float8 as count from pg_stat_database where datname = current_database()`
  return row.count
}
