import { expungeEvent, type Tx } from '@earshot/db'
import {
  type AttemptRef,
  type ClaimedDelivery,
  claimDeliveries,
  completeDeliveries,
  findDueEndpoints,
  handBackDeliveries,
  holdDeliveries,
  registerWorker,
  releaseDeliveries,
  skipDeliveries,
  sweepDeliveries,
} from '@earshot/db/dispatch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asOperator, openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'
import { explain, type SentStatement, sentBy } from './statement-plan.ts'

const STORED = 100_000
const LIMITED = 10_000
const IN_HAND = 20
/** Rows in flight, in each of several parts of the statement, and a page or two of neighbors. */
const MAX_SCANNED_ROWS = 500

let fixture: WebhookFixture
let endpointId: string
let workerId: number
beforeAll(async () => {
  fixture = await openWebhookFixture()
  // Its endpoint is in the middle of the others, so that a walk over them from either end is long.
  await addLimits(LIMITED / 2)
  endpointId = (await fixture.addEndpoint('http://127.0.0.1:9/')).id
  workerId = await registerWorker(fixture.database, { jobPoolId: null })
  await fixture.emit()
  const { client } = fixture.database
  await client`
    with stored as (
      insert into webhook_delivery_history (team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count)
      select d.team_id, uuidv7(), d.endpoint_id, d.event_id, d.event_type, d.payload_sha256, 'succeeded', 'auto', 1
        from webhook_deliveries d, generate_series(1, ${STORED})
      returning team_id, id, endpoint_id
    )
    insert into webhook_attempts (team_id, delivery_id, endpoint_id, number, trigger, worker_id, finished_at, status_code)
    select team_id, id, endpoint_id, 1, 'auto', 0, now(), 200 from stored`
  await addLimits(LIMITED / 2)
  await client`vacuum analyze webhook_deliveries, webhook_delivery_history, webhook_attempts, webhook_endpoints, webhook_limits, events`
}, 120_000)
afterAll(() => fixture.close())

const refOf = ({ team_id, endpoint_id, id, attempt_id, number }: ClaimedDelivery) => ({
  team_id,
  endpoint_id,
  delivery_id: id,
  attempt_id,
  number,
})
const resultOf = (ref: AttemptRef) => ({
  ...{ ...ref, succeeded: true, delay_ms: null, duration_ms: 5, status_code: 200, remote_ip: null, response_headers: {} },
  ...{ response_body: null, response_body_truncated: false, response_body_bytes: null, error_code: null, error_detail: null },
})
const failureOf = (ref: AttemptRef) => ({ ...resultOf(ref), succeeded: false, status_code: 410 })
const LIMIT = 1_000
const claimLimited = (tx: Tx) =>
  claimDeliveries(tx, { workerId, slots: [{ team_id: fixture.teamId, endpoint_id: endpointId, free: IN_HAND, max_per_second: LIMIT }] })
const claim = (tx: Tx) => claimDeliveries(tx, { workerId, slots: [{ team_id: fixture.teamId, endpoint_id: endpointId, free: IN_HAND }] })

const steps: Record<string, (tx: Tx, claimed: ClaimedDelivery[]) => Promise<unknown>> = {
  'a claim': (tx) => claim(tx),
  'a claim within a limit': (tx) => claimLimited(tx),
  'a batch of results': (tx, claimed) => completeDeliveries(tx, claimed.map(refOf).map(resultOf)),
  'a batch of final failures': (tx, claimed) => completeDeliveries(tx, claimed.map(refOf).map(failureOf)),
  'a hand-back': (tx, claimed) => handBackDeliveries(tx, claimed.map(refOf)),
  'a batch of skipped ones': (tx, claimed) => skipDeliveries(tx, claimed.map(refOf)),
  'a sweep': (tx) => sweepDeliveries(tx, { workerId, held: [], heldAt: 'now', maxAttempts: 8 }),
}

test.for(Object.keys(steps).flatMap((step) => (['custom', 'generic'] as const).map((mode) => ({ step, mode }))))(
  '$step reads by indexes alone, however much is stored ($mode plan)',
  async ({ step, mode }) => {
    for (let index = 0; index < IN_HAND; index += 1) await fixture.emit()
    if (step === 'a claim within a limit') await allowAtOnce(LIMIT)
    const claimed = step.startsWith('a claim') ? [] : await claim(fixture.database)
    await fixture.database.run(
      "update webhook_deliveries set lease_until = now() - interval '1 second' where state = 'sending' and $1 = 'a sweep'",
      [step],
    )
    const planned = await statementOf(step, claimed)
    const { wholeReads, scannedRows } = await explain(fixture.database.client, mode, planned)
    await fixture.setLimit(endpointId, null)
    expect(wholeReads.filter((relation) => /deliveries|attempts|events|limits/.test(relation))).toEqual([])
    expect(scannedRows).toBeLessThan(MAX_SCANNED_ROWS)
    expect(scannedRows).toBeGreaterThanOrEqual(IN_HAND)
    await fixture.database.run('delete from webhook_deliveries', [])
  },
)

test.each(['custom', 'generic'] as const)('expunging an event reads by indexes alone, however much is stored (%s plan)', async (mode) => {
  const [id = ''] = await fixture.emit()
  const { event_id } = await fixture.delivery(id)
  const nobody = { userId: null, credentialId: null, credentialKind: null, ip: null }
  const sent = await sentBy(fixture.database, (tx) => expungeEvent(tx, nobody, { team_id: fixture.teamId, event_id }))
  expect(sent.length).toBeGreaterThanOrEqual(6)
  for (const statement of sent) {
    const { wholeReads, scannedRows } = await explain(fixture.database.client, mode, statement)
    expect(wholeReads.filter((relation) => /history|attempts|events/.test(relation))).toEqual([])
    expect(scannedRows, statement.text).toBeLessThan(MAX_SCANNED_ROWS)
  }
  await fixture.database.run('delete from webhook_deliveries', [])
})

// An empty table makes both indexes of due deliveries cost the same, but for the pages that vacuum left them.
test.for(['webhook_deliveries_due', 'webhook_deliveries_due_by_endpoint'])('the other index cannot stand in for %s', async (missing) => {
  const sent = await sentBy(fixture.database, async (tx) => {
    await findDueEndpoints(tx)
    await claim(tx)
  })
  const before = await Promise.all(sent.map((statement) => indexesOf(statement)))
  const setValid = (isValid: boolean) =>
    asOperator(fixture.address, `update pg_index set indisvalid = ${isValid} where indexrelid = '${missing}'::regclass`)
  await setValid(false)
  const after = await Promise.all(sent.map((statement) => indexesOf(statement)))
  await setValid(true)
  expect(before.flat().filter((index) => index === missing)).toHaveLength(1)
  const kept = before.flat().filter((index) => index !== missing)
  expect(after.flat().filter((index) => index.includes('_due'))).toEqual(kept)
})

test('a plan that was made while the table of unfinished deliveries was empty is right when it is full', async () => {
  await fixture.database.run('delete from webhook_deliveries', [])
  await asOperator(fixture.address, 'vacuum analyze webhook_deliveries')
  const ref = { team_id: fixture.teamId, endpoint_id: endpointId, delivery_id: endpointId, attempt_id: endpointId, number: 1 }
  const sent = await sentBy(fixture.database, async (tx) => {
    await findDueEndpoints(tx)
    await claim(tx)
    await holdDeliveries(tx, [ref])
    await releaseDeliveries(tx, null)
    await handBackDeliveries(tx, [ref])
    await completeDeliveries(tx, [resultOf(ref)])
  })
  const indexes = await Promise.all(sent.map((statement) => indexesOf(statement)))
  expect(indexes).toEqual([
    ['webhook_deliveries_due'],
    ['webhook_deliveries_due_by_endpoint'],
    ['webhook_deliveries_due_by_endpoint'],
    ['webhook_deliveries_held'],
    ['webhook_deliveries_pkey'],
    ['webhook_deliveries_pkey'],
  ])
})

/** The indexes of unfinished deliveries that a generic plan walks. */
async function indexesOf({ text, params }: SentStatement): Promise<string[]> {
  const lines = await fixture.database.client.begin(async (tx) => {
    await tx.unsafe(`set local enable_seqscan = off; prepare asked as ${text}`)
    const rows = await tx.unsafe(`explain execute asked(${params.map(() => 'null').join(', ')})`)
    await tx.unsafe('deallocate asked')
    return rows.map((row) => String(row['QUERY PLAN']))
  })
  return [...new Set(lines.flatMap((line) => /using (webhook_deliveries_\w+)/.exec(line)?.[1] ?? []))]
}

/** Limits the endpoint, as if it had sent nothing for a while. */
async function allowAtOnce(maxPerSecond: number): Promise<void> {
  await fixture.setLimit(endpointId, maxPerSecond)
  await fixture.database.run("update webhook_limits set next_send_at = '-infinity' where endpoint_id = $1", [endpointId])
}

/** What a step sends, without its effect. */
async function statementOf(step: string, claimed: ClaimedDelivery[]) {
  // A sweep looks for bounds first.
  const statement = (await sentBy(fixture.database, async (tx) => steps[step]?.(tx, claimed))).at(-1)
  if (!statement) throw new Error('Nothing was sent')
  return statement
}

async function addLimits(count: number): Promise<void> {
  await fixture.database.run(
    `with endpoint as (
       insert into webhook_endpoints (team_id, url, events, secret, secret_hint, max_per_second)
       select $1, 'http://127.0.0.1:9/', '{submission.approved}', '', '', 1 from generate_series(1, $2::int)
       returning team_id, id
     )
     insert into webhook_limits (team_id, endpoint_id) select team_id, id from endpoint`,
    [fixture.teamId, count],
  )
}
