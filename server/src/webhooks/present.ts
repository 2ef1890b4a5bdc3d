import { attemptErrorCodes, type DeliveredEvent, type Event } from '@earshot/contracts'
import { type AttemptRow, type DeliveryRow, toTimestamp } from '@earshot/db'

export function presentDelivery(row: DeliveryRow) {
  return {
    id: row.id,
    endpoint_id: row.endpoint_id,
    event_id: row.event_id,
    event_type: row.event_type,
    state: row.state,
    attempt_count: row.attempt_count,
    next_attempt_at: row.state === 'pending' ? toTimestamp(row.next_attempt_at) : null,
    payload: row.payload === null ? null : presentPayload<DeliveredEvent>(row.payload),
    payload_sha256: row.payload_sha256,
    replay_of: row.replay_of,
    replay_id: row.replay_id,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}

/** Parses the frozen body of an event, which follows the contract's payloads. */
export function presentPayload<Payload extends DeliveredEvent = Event>(payload: string): Payload {
  return JSON.parse(payload) as Payload
}

export function presentAttempt(row: AttemptRow) {
  const startedAt = toTimestamp(row.started_at)
  return {
    id: row.id,
    delivery_id: row.delivery_id,
    endpoint_id: row.endpoint_id,
    number: row.number,
    trigger: row.trigger,
    started_at: startedAt,
    duration_ms: row.duration_ms,
    remote_ip: row.remote_ip,
    status_code: row.status_code,
    response_headers: row.response_headers,
    response_body: row.response_body?.toString('utf8') ?? null,
    response_body_truncated: row.response_body_truncated,
    // PostgreSQL's bigint comes as text.
    response_body_bytes: row.response_body_bytes === null ? null : Number(row.response_body_bytes),
    error: presentAttemptError(row),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.finished_at) ?? startedAt,
  }
}

function presentAttemptError({ error_code, error_detail }: AttemptRow) {
  const code = attemptErrorCodes.find((known) => known === error_code)
  return code ? { code, detail: error_detail ?? '' } : null
}
