import type { Tx } from '@earshot/db'
import {
  type ClaimedDelivery,
  claimDeliveries,
  completeDeliveries,
  handBackDeliveries,
  registerWorker,
  sweepDeliveries,
} from '@earshot/db/dispatch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'
import { explain, recording } from './statement-plan.ts'

const STORED = 100_000
const IN_HAND = 20
/** Rows in flight, in each of several parts of the statement, and a page or two of neighbors. */
const MAX_SCANNED_ROWS = 500

let fixture: WebhookFixture
let endpointId: string
let workerId: number
beforeAll(async () => {
  fixture = await openWebhookFixture()
  endpointId = (await fixture.addEndpoint('http://127.0.0.1:9/')).id
  workerId = await registerWorker(fixture.database, { jobPoolId: null })
  await fixture.emit()
  const { client } = fixture.database
  await client`
    with stored as (
      insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, state, attempt_count, next_attempt_at)
      select d.team_id, d.endpoint_id, d.event_id, d.event_type, d.payload_sha256, 'succeeded', 1, null
        from webhook_deliveries d, generate_series(1, ${STORED})
      returning team_id, id, endpoint_id
    )
    insert into webhook_attempts (team_id, delivery_id, endpoint_id, number, trigger, worker_id, finished_at, status_code)
    select team_id, id, endpoint_id, 1, 'auto', 0, now(), 200 from stored`
  await client`vacuum analyze webhook_deliveries, webhook_attempts, webhook_endpoints, events`
}, 120_000)
afterAll(() => fixture.close())

const refOf = ({ id, attempt_id, number }: ClaimedDelivery) => ({ delivery_id: id, attempt_id, number })
const resultOf = (delivery: ClaimedDelivery) => ({
  ...{ ...refOf(delivery), succeeded: true, delay_ms: null, duration_ms: 5, status_code: 200, remote_ip: null, response_headers: {} },
  ...{ response_body: null, response_body_truncated: false, error_code: null, error_detail: null },
})
const claim = (tx: Tx) => claimDeliveries(tx, { workerId, slots: [{ team_id: fixture.teamId, endpoint_id: endpointId, free: IN_HAND }] })

const steps: Record<string, (tx: Tx, claimed: ClaimedDelivery[]) => Promise<unknown>> = {
  'a claim': (tx) => claim(tx),
  'a batch of results': (tx, claimed) => completeDeliveries(tx, claimed.map(resultOf)),
  'a hand-back': (tx, claimed) => handBackDeliveries(tx, claimed.map(refOf)),
  'a sweep': (tx) => sweepDeliveries(tx, { workerId, held: [], heldAt: 'now', maxAttempts: 8 }),
}

test.for(Object.keys(steps).flatMap((step) => (['custom', 'generic'] as const).map((mode) => ({ step, mode }))))(
  '$step reads by indexes alone, however much is stored ($mode plan)',
  async ({ step, mode }) => {
    for (let index = 0; index < IN_HAND; index += 1) await fixture.emit()
    const claimed = step === 'a claim' ? [] : await claim(fixture.database)
    await fixture.database.run(
      "update webhook_deliveries set lease_until = now() - interval '1 second' where state = 'sending' and $1 = 'a sweep'",
      [step],
    )
    const planned = await statementOf(step, claimed)
    const { wholeReads, scannedRows } = await explain(fixture.database.client, mode, planned)
    expect(wholeReads.filter((relation) => /deliveries|attempts|events/.test(relation))).toEqual([])
    expect(scannedRows).toBeLessThan(MAX_SCANNED_ROWS)
    expect(scannedRows).toBeGreaterThanOrEqual(IN_HAND)
    await fixture.database.run(
      "update webhook_deliveries set state = 'skipped', next_attempt_at = null where state in ('pending', 'sending')",
      [],
    )
  },
)

/** What a step sends, without its effect. */
async function statementOf(step: string, claimed: ClaimedDelivery[]) {
  const undone = new Error('Undone')
  let sent: ReturnType<typeof recording>['sent'] = []
  await fixture.database
    .transaction(async (tx) => {
      const recorder = recording(tx)
      await steps[step]?.(recorder, claimed)
      sent = recorder.sent
      throw undone
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error
    })
  const [statement] = sent
  if (!statement) throw new Error('Nothing was sent')
  return statement
}
