import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import type { BareSending } from '../bare-sender.ts'
import { type Child, startChild } from '../child-process.ts'
import { median, quantile } from '../figures.ts'
import { findPostgres } from '../postgres-process.ts'
import { familyMicroseconds, processorMicroseconds } from '../processor-time.ts'
import type { Receipts } from '../receiver.ts'
import { type PartReport, table } from '../report.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import { analyze, makeTeams, openBeside, type Team } from '../teams.ts'
import { makeTemporaryDirectory } from '../temporary-directory.ts'

const ENDPOINTS = 10
const GOAL = 0.6
const LATENCY_GOAL_MS = 250
const EVENTS_PER_SECOND = 100
const POLL_MS = 20
const COLUMNS = ['nodeMicroseconds', 'postgresMicroseconds', 'microseconds', 'perSecond'] as const
const WORDS = { body: 'Saved us a week.', rating: 5, author: { name: 'Ada Lovelace' }, consent: { granted: true } }

interface Cost {
  nodeMicroseconds: number
  postgresMicroseconds: number
  microseconds: number
  perSecond: number
}

/** What the dispatcher costs a delivery beside a bare loop of POST and insert, and how soon an event arrives. */
export async function benchDeliveries({
  rounds,
  deliveries,
  seconds,
}: {
  rounds: number
  deliveries: number
  seconds: number
}): Promise<PartReport> {
  using directory = makeTemporaryDirectory()
  await using service = await startService(directory.path)
  await using database = openBeside(service.address)
  await using receiver = await startChild(new URL('../receiver.ts', import.meta.url))
  await using bare = await startChild(new URL('../bare-sender.ts', import.meta.url))
  const { url } = await receiver.ask<{ url: string }>('start')
  const [busy, quiet] = await makeTeams(database, 2)
  if (!busy || !quiet) throw new Error('Two teams were asked for.')
  for (let number = 0; number < ENDPOINTS; number += 1) await createWebhook(service, busy, `${url}${number}`)
  await createWebhook(service, quiet, url)

  const postgresPid = await findPostgres(database)
  const payload = JSON.stringify({ type: 'submission.created', created_at: new Date().toISOString(), data: { submission: WORDS } })
  const sending: BareSending = { address: service.address, url, payload, deliveries, team_id: busy.id }
  const costs = { dispatcher: [] as Cost[], bare: [] as Cost[] }
  for (let round = 0; round <= rounds; round += 1) {
    await emit(database, receiver, busy, deliveries / ENDPOINTS)
    const dispatched = await costOf(service.pid, postgresPid, deliveries, () => arrival(receiver, deliveries))
    const sent = await costOf(bare.pid, postgresPid, deliveries, () => bare.ask(sending))
    // The first round warms both up, and leaves rows for statistics, as autovacuum finds them within its minute.
    if (round === 0) await analyze(database)
    else costs.dispatcher.push(dispatched)
    if (round > 0) costs.bare.push(sent)
  }
  return reportOf(costs, await readLatencies(service, receiver, quiet, seconds))
}

function reportOf(costs: Record<'dispatcher' | 'bare', Cost[]>, latenciesMs: number[]): PartReport {
  const middle = (name: 'dispatcher' | 'bare', part: keyof Cost) => median(costs[name].map((cost) => cost[part]))
  const ratio = middle('bare', 'microseconds') / middle('dispatcher', 'microseconds')
  const slowMs = quantile(latenciesMs, 0.99)
  const names = ['dispatcher', 'bare'] as const
  return {
    title: `Deliveries to a local receiver, ${ENDPOINTS} endpoints`,
    findings: [
      { what: 'processor time, bare loop ÷ dispatcher', figure: ratio.toFixed(2), goal: `≥ ${GOAL}`, met: ratio >= GOAL },
      {
        what: `event to receipt at ${EVENTS_PER_SECOND} events/s, p99 of ${latenciesMs.length}`,
        figure: `${slowMs} ms (median ${median(latenciesMs)} ms)`,
        goal: `≤ ${LATENCY_GOAL_MS} ms`,
        met: slowMs <= LATENCY_GOAL_MS,
      },
    ],
    details: [
      table(
        ['sender', 'node µs', 'PostgreSQL µs', 'together µs', 'deliveries/s'],
        names.map((name) => [name, ...COLUMNS.map((column) => middle(name, column).toFixed(0))]),
      ),
    ],
  }
}

async function costOf(pid: number, postgresPid: number, deliveries: number, work: () => Promise<unknown>): Promise<Cost> {
  const before = { node: processorMicroseconds(pid), postgres: familyMicroseconds(postgresPid) }
  const startedMs = performance.now()
  await work()
  const tookMs = performance.now() - startedMs
  const nodeMicroseconds = (processorMicroseconds(pid) - before.node) / deliveries
  const postgresMicroseconds = (familyMicroseconds(postgresPid) - before.postgres) / deliveries
  const perSecond = (deliveries / tookMs) * 1000
  return { nodeMicroseconds, postgresMicroseconds, microseconds: nodeMicroseconds + postgresMicroseconds, perSecond }
}

/** The events are there at once, one delivery for each endpoint. */
async function emit(database: Database, receiver: Child, { id, project_id }: Team, events: number): Promise<void> {
  await receiver.ask('forget')
  await database.client`
    select emit_event(${id}, ${project_id}, 'submission.created', ${JSON.stringify({ submission: WORDS })}::text::json)
      from generate_series(1, ${events}::int)`
}

async function arrival(receiver: Child, count: number): Promise<Receipts> {
  for (;;) {
    const receipts = await receiver.ask<Receipts>('read')
    if (receipts.count >= count) return receipts
    await delay(POLL_MS)
  }
}

/** Visitors leave words at an even pace, whatever the service does meanwhile. */
async function readLatencies({ url }: ServiceProcess, receiver: Child, { publicKey }: Team, seconds: number): Promise<number[]> {
  await receiver.ask('forget')
  const events = EVENTS_PER_SECOND * seconds
  const startedMs = performance.now()
  const posts: Promise<void>[] = []
  for (let number = 0; number < events; number += 1) {
    await delay(Math.max(0, startedMs + (number * 1000) / EVENTS_PER_SECOND - performance.now()))
    posts.push(post(`${url}/api/public/v1/projects/${publicKey}/submissions/`, { ...WORDS, body: `Words number ${number}` }))
  }
  await Promise.all(posts)
  return (await arrival(receiver, events)).latenciesMs
}

async function createWebhook({ url }: ServiceProcess, { id, token }: Team, receiverUrl: string): Promise<void> {
  await post(`${url}/api/v1/teams/${id}/webhooks/`, { url: receiverUrl, events: ['*'] }, { authorization: `Bearer ${token}` })
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (response.status !== 201) throw new Error(`${url}: ${response.status} ${text}`)
}
