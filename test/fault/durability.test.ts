import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { isLongForm } from '../support/form.ts'
import { measureLateness } from '../support/lateness.ts'
import { type Absences, causeFaults, causesOf, drawFaults, type Form, type Happened } from './durability/faults.ts'
import { countDuplicates, percentile, type Recovery, recoveriesOf } from './durability/figures.ts'
import { openDurabilityFixture } from './durability/fixture.ts'
import { startFollower } from './durability/follower.ts'
import { contradictions, type History, readHistory } from './durability/history.ts'
import { type Publisher, startPublisher } from './durability/publisher.ts'
import { settle } from './durability/settle.ts'

const EVENTS_PER_SECOND = 100
const RECOVERED_WITHIN_MS = 10_000

const SHORT: Form & Absences = {
  counts: { kill: 8, restart: 1, pause: 1, 'receiver away': 1, 'database away': 1 },
  ...{ pauseMs: 8_000, receiverAwayMs: 3_000, databaseAwayMs: 4_000, gapMs: { min: 500, max: 3_000 } },
}
/** `npm run test:fault:long`. */
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
  using lateness = measureLateness()
  const { fleet, recorder, database, teams } = fixture
  const api = () => fleet.apis()[0] ?? null
  const follower = startFollower(api, teams)
  const publisher = startPublisher(api, teams, EVENTS_PER_SECOND)
  const happened = await causeFaults(causesOf(fixture, form), drawFaults(form, seed))
  await publisher.stop()
  await fleet.whole()
  await settle(database)
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
      recoveries.map((recovery) => recovery.ms - lateness.msWithin(recovery)),
      0.99,
    ),
  ).toBeLessThan(RECOVERED_WITHIN_MS)
})

function describe(happened: readonly Happened[], history: History, { acknowledged, failed }: Publisher, recoveries: Recovery[]): string {
  const count = (kind: string) => happened.filter((fault) => fault.kind === kind).length
  const figures = (values: number[]) => [0.5, 0.99, 1].map((share) => Math.round(percentile(values, share))).join(', ')
  return [
    `kills ${count('kill')}, restarts of PostgreSQL ${count('restart')}, pauses ${count('pause')}, receiver away ${count('receiver away')}, database away ${count('database away')}`,
    `acknowledged ${acknowledged.created.length + acknowledged.approved.length} changes (${failed()} requests failed), ${history.events.length} events`,
    `${history.deliveries.length} deliveries, ${history.attempts.length} attempts, ${history.receipts.length} receipts, of them ${countDuplicates(history)} duplicates`,
    `recovered of killed workers: ${recoveries.length}; p50, p99, worst ${figures(recoveries.map(({ ms }) => ms))} ms, with absences of the receiver ${figures(recoveries.map(({ fromMs, toMs }) => toMs - fromMs))} ms`,
  ].join('\n')
}
