import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { isLongForm } from '../support/form.ts'
import { openAvailabilityFixture } from './availability/fixture.ts'
import { type Failure, startTraffic, type Traffic } from './availability/traffic.ts'
import { causeFaults, drawFaults, type FaultKind, type Form, type Happened } from './durability/faults.ts'
import { countDuplicates } from './durability/figures.ts'
import { startFollower } from './durability/follower.ts'
import { contradictions, type History, readHistory } from './durability/history.ts'
import { settle } from './durability/settle.ts'

/** How long after the end of a fault a request may still fail. A database that is back serves at full speed within five seconds. */
const RECOVERED_WITHIN_MS: Partial<Record<FaultKind, number>> = { kill: 2_000, pause: 3_000, restart: 5_000, promotion: 10_000 }

/** How far the report looks for failures after a fault. */
const LOOK_MS = 1_000

const SHORT: Form & { pauseMs: number } = {
  counts: { kill: 4, pause: 2, restart: 1, promotion: 1 },
  ...{ pauseMs: 4_000, gapMs: { min: 1_000, max: 5_000 } },
}
/** Half an hour: `npm run test:soak`. */
const LONG: Form & { pauseMs: number } = {
  counts: { kill: 40, pause: 12, restart: 6, promotion: 1 },
  ...{ pauseMs: 15_000, gapMs: { min: 5_000, max: 45_000 } },
}
const form = isLongForm ? LONG : SHORT
const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))
const LONGEST_MS = isLongForm ? 45 * 60_000 : 4 * 60_000

test(`two replicas of each role behind a balancer lose nothing, and fail no request but during a fault (FAULT_SEED=${seed})`, {
  timeout: LONGEST_MS,
}, async () => {
  await using stack = new AsyncDisposableStack()
  const fixture = await openAvailabilityFixture(stack)
  const { balancer, fleet, recorder, database, teams } = fixture
  const follower = startFollower(() => fleet.apis()[0] ?? null, teams)
  const traffic = startTraffic(balancer.url, teams)
  // One process is away at a time: while the other replica of its role still starts, nobody could serve.
  const happened = await causeFaults(fixture.causesOf(form), drawFaults(form, seed), fleet.whole)
  await fleet.whole()
  await traffic.stop()
  await settle(database)
  await follower.stop()
  await recorder[Symbol.asyncDispose]()

  const history = await readHistory(database, recorder.receipts)
  console.log(describe(happened, history, traffic))
  expect(contradictions(history, traffic.acknowledged).slice(0, 20)).toEqual([])
  for (const { id } of teams) {
    const inOrder = history.events.filter(({ team_id }) => team_id === id).map((event) => event.id)
    expect(follower.followed(id)).toEqual(inOrder)
  }
  expect(fleet.unexpectedEnds).toEqual([])
  expect(outsideOf(happened, traffic.failures)).toEqual([])
})

/** Returns the failures of requests that ran wholly outside of any fault and its recovery. */
function outsideOf(happened: readonly Happened[], failures: readonly Failure[]): string[] {
  const spans = happened.map(({ kind, fromMs, toMs }) => ({ fromMs, toMs: toMs + (RECOVERED_WITHIN_MS[kind] ?? 0) }))
  return failures
    .filter((failure) => !spans.some(({ fromMs, toMs }) => failure.fromMs <= toMs && failure.toMs >= fromMs))
    .map(({ what }) => what)
}

/** Returns for how long requests failed after the fault was over, at worst. */
function worstMs({ toMs }: Happened, { failures }: Traffic): number {
  const after = failures.filter((failure) => failure.fromMs <= toMs + LOOK_MS && failure.toMs > toMs).map((failure) => failure.toMs - toMs)
  return Math.max(0, ...after)
}

function describe(happened: readonly Happened[], history: History, traffic: Traffic): string {
  const { acknowledged, failures, requests } = traffic
  const kinds = Map.groupBy(happened, ({ kind }) => kind)
  return [
    [...kinds]
      .map(
        ([kind, faults]) =>
          `${kind} ${faults.length}, last failure ${Math.max(...faults.map((fault) => worstMs(fault, traffic)))} ms after its end`,
      )
      .join('; '),
    `${requests()} requests, ${failures.length} failed; acknowledged ${acknowledged.created.length + acknowledged.approved.length} changes`,
    `${history.events.length} events, ${history.deliveries.length} deliveries, ${history.attempts.length} attempts, ${countDuplicates(history)} duplicates`,
  ].join('\n')
}
