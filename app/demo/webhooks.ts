import { createWebhook, type Tx, updateWebhook, type WebhookFields } from '@earshot/db'
import {
  type AttemptResult,
  type ClaimedDelivery,
  claimDeliveries,
  completeDeliveries,
  registerWorker,
  removeWorker,
} from '@earshot/db/dispatch'
import { makeEndpointSecret, makeId, sealEndpointSecret } from '@earshot/server'
import type { DemoPlace } from './place.ts'

/** What a receiver answered, or why it did not, and how long that took. */
type Answer = Pick<AttemptResult, 'status_code' | 'error_code' | 'error_detail' | 'duration_ms' | 'remote_ip'> & { body: string | null }

const BODY = '{"error":"The CRM database is not available."}'
const SUCCESS: Answer = {
  ...{ status_code: 204, error_code: null, error_detail: null, duration_ms: 61, remote_ip: '203.0.113.20', body: null },
}
const BROKEN: Answer = {
  ...{ status_code: 500, error_code: null, error_detail: null, duration_ms: 412, remote_ip: '203.0.113.7', body: BODY },
}
const REFUSED: Answer = {
  ...{ status_code: null, error_code: 'connection_refused', error_detail: 'The receiver refused the connection.' },
  ...{ duration_ms: 3, remote_ip: '203.0.113.7', body: null },
}
/** How many deliveries arrive before the receiver breaks. */
const BEFORE_FAILURE = 3
/** What the attempts of each delivery meet from then on: no other follows the last one. */
const FAILURES = [BROKEN, BROKEN, BROKEN, REFUSED, REFUSED, REFUSED, BROKEN, BROKEN]
/** More deliveries than there are events. */
const MANY = 100

/**
 * Adds three endpoints: one that worked and is paused, one whose deliveries fail, and one of Slack's that is disabled. `decide` causes
 * the events. The attempts are claimed and written here, in the transaction that makes the deliveries, so no worker sends any of them.
 */
export async function fillWebhooks({ tx, ...place }: DemoPlace, decide: () => Promise<void>): Promise<void> {
  const { ids, admin, owner } = place
  const add = (fields: WebhookFields) => addEndpoint(tx, place, fields)
  const slack = await add({
    ...{ url: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX', format: 'slack' },
    ...{ description: 'Channel #praise', events: ['testimonial.created', 'submission.approved'] },
  })
  await updateWebhook(tx, admin, { team_id: ids.team_id, webhook_id: slack }, { state: 'disabled' })
  const crm = await add({
    url: 'https://crm.northlight.example/hooks/earshot',
    ...{ description: 'Customer records', events: ['submission.approved', 'submission.rejected'] },
  })
  const warehouse = await add({ url: 'https://warehouse.northlight.example/events', description: 'Data warehouse', events: ['*'] })
  await decide()
  const worker = await registerWorker(tx, { jobPoolId: null })
  await attempt(tx, { worker, endpoint: { ...ids, endpoint_id: warehouse }, answers: [SUCCESS], succeeding: MANY })
  await attempt(tx, { worker, endpoint: { ...ids, endpoint_id: crm }, answers: FAILURES, succeeding: BEFORE_FAILURE })
  await removeWorker(tx, worker)
  await updateWebhook(tx, owner, { team_id: ids.team_id, webhook_id: warehouse }, { state: 'paused' })
}

async function addEndpoint(tx: Tx, { ids, admin, secretBox }: Omit<DemoPlace, 'tx'>, fields: WebhookFields): Promise<string> {
  const webhook_id = makeId()
  const sealed = { ...sealEndpointSecret({ secretBox }, webhook_id, makeEndpointSecret()), header_names: [], header_values: null }
  const ref = { team_id: ids.team_id, webhook_id }
  await createWebhook(tx, admin, ref, { project_id: ids.project_id, ...fields, ...sealed })
  return webhook_id
}

interface Attempting {
  worker: number
  endpoint: { team_id: string; endpoint_id: string }
  answers: readonly Answer[]
  /** How many of the deliveries succeed at their first attempt. */
  succeeding: number
}

/** Makes the attempts of all deliveries of an endpoint, one after the other, as the sender writes them. */
async function attempt(tx: Tx, { worker, endpoint: { team_id, endpoint_id }, answers, succeeding }: Attempting): Promise<void> {
  for (const [round, answer] of answers.entries()) {
    const claimed = await claimDeliveries(tx, { workerId: worker, slots: [{ team_id, endpoint_id, free: MANY }] })
    const isLast = round === answers.length - 1
    await completeDeliveries(
      tx,
      claimed.map((delivery, index) => resultOf(delivery, round === 0 && index < succeeding ? SUCCESS : answer, isLast)),
    )
  }
}

function resultOf({ team_id, endpoint_id, id, attempt_id, number }: ClaimedDelivery, answer: Answer, isLast: boolean): AttemptResult {
  const { body, ...facts } = answer
  const bytes = body === null ? null : Buffer.from(body)
  return {
    ...{ team_id, endpoint_id, delivery_id: id, attempt_id, number, ...facts },
    succeeded: answer === SUCCESS,
    // Due again at once: the next attempt is made in the same transaction.
    delay_ms: isLast || answer === SUCCESS ? null : 0,
    response_headers: bytes === null ? null : { 'content-type': 'application/json' },
    response_body: bytes,
    response_body_truncated: false,
    response_body_bytes: bytes?.length ?? null,
  }
}
