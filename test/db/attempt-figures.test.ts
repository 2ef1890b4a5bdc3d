import { latencyPercentile, readEndpointStats } from '@earshot/db'
import {
  type AttemptResult,
  type ClaimedDelivery,
  claimDeliveries,
  completeDeliveries,
  foldAttemptChanges,
  handBackDeliveries,
  registerWorker,
  sweepDeliveries,
} from '@earshot/db/dispatch'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endDeliveries } from '../../db/src/privacy/deliveries.ts'
import { noteErased } from '../../db/src/privacy/erased-records.ts'
import { latencyBucketOf } from '../../db/src/webhooks/latency-buckets.ts'
import { readAttemptFigures } from '../support/attempt-figures.ts'
import { loseWorker } from '../support/lost-worker.ts'
import { asOperator, openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'
import { explain, sentBy } from './statement-plan.ts'

const DELIVERIES = 600
const BATCH = 20
const MAX_ATTEMPTS = 8

let fixture: WebhookFixture
let workerId: number
let endpoints: string[]
beforeEach(async () => {
  fixture = await openWebhookFixture()
  workerId = await registerWorker(fixture.database, { jobPoolId: null })
  endpoints = []
})
afterEach(() => fixture.close())

/** Creates endpoints with deliveries that are due, and claims them all. */
async function claimed({ endpointCount, deliveries }: { endpointCount: number; deliveries: number }): Promise<ClaimedDelivery[]> {
  for (let index = 0; index < endpointCount; index += 1) endpoints.push((await fixture.addEndpoint('http://127.0.0.1:9/')).id)
  await fixture.database.run("select emit_event($1, null, 'submission.created', '{}'::json) from generate_series(1, $2::int)", [
    fixture.teamId,
    deliveries / endpointCount,
  ])
  const slots = endpoints.map((endpoint_id) => ({ team_id: fixture.teamId, endpoint_id, free: deliveries }))
  return claimDeliveries(fixture.database, { workerId, slots })
}

function refOf({ team_id, endpoint_id, id, attempt_id, number }: ClaimedDelivery) {
  return { team_id, endpoint_id, delivery_id: id, attempt_id, number }
}

function resultOf(delivery: ClaimedDelivery, { succeeded = true, durationMs = 5 } = {}): AttemptResult {
  return {
    ...{ ...refOf(delivery), succeeded, delay_ms: null, duration_ms: durationMs, status_code: succeeded ? 200 : 404, remote_ip: null },
    ...{ response_headers: null, response_body: null, response_body_truncated: false, response_body_bytes: null },
    ...{ error_code: null, error_detail: null },
  }
}

function batchesOf<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: items.length / BATCH }, (_, index) => items.slice(index * BATCH, (index + 1) * BATCH))
}

test('a percentile is at most 5 % beside the exact one, whatever the durations', () => {
  const duration = fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 45_000 }))
  fc.assert(
    fc.property(fc.array(duration, { minLength: 1, maxLength: 300 }), fc.constantFrom(50, 95, 99), (durations, percent) => {
      const counts: number[] = Array(latencyBucketOf(Math.max(...durations)) + 1).fill(0)
      for (const each of durations.map(latencyBucketOf)) counts[each] = (counts[each] ?? 0) + 1
      const exact = durations.toSorted((one, other) => one - other)[Math.ceil((percent * durations.length) / 100) - 1] ?? 0
      expect(Math.abs((latencyPercentile(counts, percent) ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact * 0.05)
    }),
    { numRuns: 2_000 },
  )
  for (let ms = 0; ms <= 60_000; ms += 1) {
    const only = Array(latencyBucketOf(ms)).fill(0).concat(1)
    expect(Math.abs((latencyPercentile(only, 50) ?? Number.NaN) - ms)).toBeLessThanOrEqual(ms * 0.05)
  }
})

test('the longest durations share a bucket, so that an hour stays small', () => {
  expect(latencyBucketOf(86_400_000)).toBe(latencyBucketOf(1_800_000))
})

test('results of the same endpoints that are written and folded at the same time are all counted, once', async () => {
  const deliveries = await claimed({ endpointCount: 3, deliveries: DELIVERIES })
  const batches = batchesOf(
    deliveries.toSorted(() => Math.random() - 0.5).map((each, index) => resultOf(each, { succeeded: index % 3 > 0 })),
  )
  let writing = true
  const fold = async () => {
    while (writing) await foldAttemptChanges(fixture.database, { max: 7 })
  }
  const folding = [fold(), fold()]
  await Promise.all(batches.map((batch) => completeDeliveries(fixture.database, batch)))
  writing = false
  await Promise.all(folding)

  const { kept, counted } = await readAttemptFigures(fixture.database)
  expect(kept).toEqual(counted)
  expect(counted.reduce((sum, { succeeded, bad_responses }) => sum + Number(succeeded) + Number(bad_responses), 0)).toBe(DELIVERIES)
  while (await foldAttemptChanges(fixture.database, { max: 1_000 }));
  expect(await fixture.database.run('select from webhook_attempt_changes', [])).toEqual([])
  expect((await readAttemptFigures(fixture.database)).kept).toEqual(counted)
})

test('writing a result waits for nobody who holds the figures of its endpoint', async () => {
  const [first, second] = await claimed({ endpointCount: 1, deliveries: 2 })
  await completeDeliveries(fixture.database, first ? [resultOf(first)] : [])
  await foldAttemptChanges(fixture.database, { max: 1_000 })
  await fixture.database.transaction(async (tx) => {
    await tx.run('select from webhook_attempt_hours for update', [])
    const written = await Promise.race([completeDeliveries(fixture.database, second ? [resultOf(second)] : []), after(5_000)])
    expect(written?.size).toBe(1)
  })
})

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined))
}

test('what a dead worker left counts as interrupted, with or without attempts to come; what was handed back or is stale does not', async () => {
  const deliveries = await claimed({ endpointCount: 1, deliveries: 3 })
  const [handedBack, ...lost] = deliveries
  await handBackDeliveries(fixture.database, handedBack ? [refOf(handedBack)] : [])
  await fixture.database.run('update webhook_deliveries set attempt_count = $2 where id = $1', [lost[0]?.id, MAX_ATTEMPTS])
  await fixture.database.run('update webhook_attempts set number = $2 where delivery_id = $1', [lost[0]?.id, MAX_ATTEMPTS])
  await loseWorker(fixture.database, endpoints[0] ?? '')
  expect(await sweepDeliveries(fixture.database, { workerId, held: [], heldAt: 'now', maxAttempts: MAX_ATTEMPTS })).toBe(2)
  expect(
    (
      await completeDeliveries(
        fixture.database,
        deliveries.map((each) => resultOf(each)),
      )
    ).size,
  ).toBe(0)

  const { kept, counted } = await readAttemptFigures(fixture.database)
  expect(kept).toEqual(counted)
  expect(kept).toMatchObject([{ succeeded: 0, interrupted: 2, retried: 1, durations: 0 }])
})

test('an attempt in flight whose event was erased counts as interrupted, once', async () => {
  const deliveries = await claimed({ endpointCount: 1, deliveries: 2 })
  const [request] = await fixture.database.run<{ id: string }>(
    `insert into privacy_requests (team_id, kind, state, person_mac) values ($1, 'erase', 'running', 'x') returning id`,
    [fixture.teamId],
  )
  const ref = { team_id: fixture.teamId, request_id: request?.id ?? '' }
  await noteErased(
    fixture.database,
    ref,
    'events',
    deliveries.slice(0, 1).map(({ event_id }) => event_id),
  )
  expect(await endDeliveries(fixture.database, ref)).toMatchObject({ count: 1 })
  expect(
    (
      await completeDeliveries(
        fixture.database,
        deliveries.map((each) => resultOf(each)),
      )
    ).size,
  ).toBe(1)
  const { kept, counted } = await readAttemptFigures(fixture.database)
  expect(kept).toEqual(counted)
  expect(kept).toMatchObject([{ succeeded: 1, interrupted: 1, retried: 0, durations: 1 }])
})

test('figures are read by indexes, whatever the other endpoints have', async () => {
  const [delivery] = await claimed({ endpointCount: 2, deliveries: 2 })
  await completeDeliveries(fixture.database, delivery ? [resultOf(delivery)] : [])
  const webhook_id = delivery?.endpoint_id ?? ''
  await fixture.database.run(
    `with deliveries as (
       insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, is_held)
       select team_id, endpoint_id, event_id, event_type, payload_sha256, n % 2 = 0 from webhook_deliveries, generate_series(1, 5000) n where endpoint_id <> $1
     ), changes as (
       insert into webhook_attempt_changes (team_id, endpoint_id, hour, codes)
       select $2, e, now(), '{1}' from unnest($3::uuid[]) e, generate_series(1, 5000) where e <> $1
     )
     insert into webhook_attempt_hours (team_id, endpoint_id, hour, retried, succeeded, bad_responses, timeouts, connection_errors, interrupted, latency_counts)
     select $2, e, now() - n * interval '1 hour', 0, 1, 0, 0, 0, 0, '{1}' from unnest($3::uuid[]) e, generate_series(1, 700) n`,
    [webhook_id, fixture.teamId, endpoints],
  )
  await asOperator(fixture.address, 'vacuum analyze webhook_deliveries, webhook_attempt_changes, webhook_attempt_hours')
  const [from, to] = [new Date(Date.now() - 24 * 3_600_000).toISOString(), new Date(Date.now() + 3_600_000).toISOString()]
  const [sent] = await sentBy(fixture.database, (tx) => readEndpointStats(tx, { team_id: fixture.teamId, webhook_id }, { from, to }))
  const { wholeReads, scannedRows } = await explain(fixture.database.client, 'generic', sent ?? { text: '', params: [] })
  expect(wholeReads).toEqual([])
  expect(scannedRows).toBeLessThan(50)
})

test('figures of an endpoint that was purged meanwhile are dropped', async () => {
  const deliveries = await claimed({ endpointCount: 1, deliveries: 1 })
  await completeDeliveries(
    fixture.database,
    deliveries.map((each) => resultOf(each)),
  )
  await fixture.database.run('delete from webhook_endpoints', [])
  expect(await foldAttemptChanges(fixture.database, { max: 10 })).toBe(1)
  expect(await readAttemptFigures(fixture.database)).toMatchObject({ kept: [] })
})
