import type { EventType } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { webhook_endpoints } from '../tables/webhooks.ts'
import { eventEndpoint } from '../webhooks/event-endpoint.ts'

const TYPE = 'webhook.delivery.exhausted' satisfies EventType

/**
 * Two parts of a statement: `emitted` is one row, which the statement must read, and writes the events of deliveries that failed for
 * good, all in one call. `failed` are rows of `webhook_deliveries` with `status_code` and `error_code` of their last attempt.
 * A delivery of an event about endpoints makes no other such event, or two failing endpoints would make events of each other's forever.
 */
export const emitExhausted = (failed: SQL) => sql`
  exhausted as (
    select f.team_id, e.project_id,
           json_build_object(
             'endpoint', ${eventEndpoint(sql`e`)},
             'delivery', json_build_object(
               'id', f.id,
               'event_id', f.event_id,
               'event_type', f.event_type,
               'payload_sha256', f.payload_sha256,
               'replay_id', f.replay_id,
               'attempt_count', f.attempt_count,
               'last_attempt', json_build_object('id', f.attempt_id, 'status_code', f.status_code, 'error_code', f.error_code),
               'created_at', iso_timestamp(uuid_extract_timestamp(f.id)),
               'failed_at', iso_timestamp(now()))) as data
      from ${failed} f
      join ${webhook_endpoints} e on e.team_id = f.team_id and e.id = f.endpoint_id and e.deleted_at is null
     where f.trigger in ('auto', 'replay') and f.event_type not like 'webhook.%'
  ),
  emitted as materialized (
    select ids
      from (
             select array_agg(team_id) as teams, array_agg(project_id) as projects, array_agg(data) as data
               from exhausted
           ) x
     cross join lateral emit_events(${sql.raw(`'${TYPE}'`)}, x.teams, x.projects, x.data) ids
  )`
