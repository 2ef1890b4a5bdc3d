import type { DeliveredEvent, EventType, WebhookFormat } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, jsonb, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, exactInstant, instant, lifetime, newId } from './columns.ts'

export const webhook_endpoints = pgTable(
  'webhook_endpoints',
  {
    team_id: uuid().notNull(),
    id: newId(),
    project_id: uuid(),
    url: text().notNull(),
    description: text(),
    events: text().array().$type<(EventType | '*')[]>().notNull(),
    state: text().$type<'active' | 'paused' | 'disabled'>().notNull().default('active'),
    disabled_reason: text(),
    secret: text().notNull(),
    secret_hint: text().notNull(),
    previous_secret: text(),
    previous_secret_expires_at: instant(),
    public_key: text(),
    signing_key: text(),
    previous_public_key: text(),
    previous_signing_key: text(),
    format: text().$type<WebhookFormat>().notNull().default('earshot'),
    max_per_second: integer(),
    local_trial: boolean().notNull().default(false),
    header_names: text().array().notNull().default([]),
    header_values: text(),
    consecutive_failures: integer().notNull().default(0),
    last_success_at: instant(),
    failing_since: instant(),
    first_failed_at: instant(),
    last_failed_at: instant(),
    deleted_at: instant(),
    ...lifetime,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.id] })],
)

/** What a delivery is from its first row on. */
const delivery = () => ({
  team_id: uuid().notNull(),
  id: newId(),
  endpoint_id: uuid().notNull(),
  event_id: uuid().notNull(),
  event_type: text().$type<DeliveredEvent['type']>().notNull(),
  payload_sha256: text().notNull(),
  attempt_id: uuid(),
  replay_of: uuid(),
  replay_id: uuid(),
  ...lifetime,
})
type Trigger = 'auto' | 'manual' | 'replay' | 'test'

export const webhook_deliveries = pgTable(
  'webhook_deliveries',
  {
    ...delivery(),
    state: text().$type<'pending' | 'sending'>().notNull().default('pending'),
    trigger: text().$type<Trigger>().notNull().default('auto'),
    attempt_count: smallint().notNull().default(0),
    next_attempt_at: exactInstant().default(sql`now()`),
    is_held: boolean().notNull().default(false),
    worker_id: integer(),
    lease_until: exactInstant(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.endpoint_id, table.id] })],
)

export const webhook_delivery_history = pgTable(
  'webhook_delivery_history',
  {
    ...delivery(),
    id: uuid().notNull(),
    state: text().$type<'succeeded' | 'failed' | 'skipped'>().notNull(),
    trigger: text().$type<Trigger>().notNull(),
    attempt_count: smallint().notNull(),
    finished_at: instant(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.endpoint_id, table.id] })],
)

type Unfinished = Omit<typeof webhook_deliveries.$inferSelect, 'is_held'>
type Finished = typeof webhook_delivery_history.$inferSelect

/**
 * What is pending and not held, in the words of one index of due deliveries: in the order they are due, or by endpoint. The last
 * condition is always true; it keeps a plan from taking the other index.
 */
export const isPendingInOrder = sql`d.state = 'pending' and not d.is_held and d.attempt_count >= 0`
export const isPendingByEndpoint = sql`d.state = 'pending' and not d.is_held and d.attempt_count <= 32767`

/** A row of either table. */
export type Delivery = Omit<Unfinished, 'state'> & { state: Unfinished['state'] | Finished['state']; finished_at: string | null }

/** The view of both tables. */
export const all_webhook_deliveries = sql.identifier('all_webhook_deliveries')

export const webhook_attempts = pgTable(
  'webhook_attempts',
  {
    team_id: uuid().notNull(),
    id: newId(),
    delivery_id: uuid().notNull(),
    endpoint_id: uuid().notNull(),
    number: smallint().notNull(),
    trigger: text().$type<Trigger>().notNull(),
    worker_id: integer().notNull(),
    started_at: exactInstant().notNull().default(sql`now()`),
    finished_at: exactInstant(),
    duration_ms: integer(),
    remote_ip: text(),
    status_code: smallint(),
    response_headers: jsonb().$type<Record<string, string>>(),
    response_body: bytea(),
    response_body_truncated: boolean().notNull().default(false),
    response_body_bytes: bigint({ mode: 'number' }).$type<string>(),
    error_code: text(),
    error_detail: text(),
    created_at: lifetime.created_at,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.id] })],
)

export const webhook_attempt_changes = pgTable(
  'webhook_attempt_changes',
  {
    team_id: uuid().notNull(),
    endpoint_id: uuid().notNull(),
    id: newId(),
    hour: exactInstant().notNull(),
    codes: smallint().array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.endpoint_id, table.id] })],
)

export const webhook_attempt_hours = pgTable(
  'webhook_attempt_hours',
  {
    team_id: uuid().notNull(),
    endpoint_id: uuid().notNull(),
    hour: exactInstant().notNull(),
    succeeded: integer().notNull(),
    retried: integer().notNull(),
    bad_responses: integer().notNull(),
    timeouts: integer().notNull(),
    connection_errors: integer().notNull(),
    interrupted: integer().notNull(),
    latency_counts: integer().array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.endpoint_id, table.hour] })],
)

export const webhook_replays = pgTable(
  'webhook_replays',
  {
    team_id: uuid().notNull(),
    id: newId(),
    endpoint_id: uuid().notNull(),
    project_id: uuid(),
    types: text().array(),
    after_event_id: uuid().notNull(),
    before_event_id: uuid().notNull(),
    remaining: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.id] })],
)

export const webhook_limits = pgTable(
  'webhook_limits',
  {
    team_id: uuid().notNull(),
    endpoint_id: uuid().notNull(),
    next_send_at: exactInstant().notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.endpoint_id] })],
)

export const webhook_workers = pgTable('webhook_workers', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  job_pool_id: text(),
  is_idle: boolean().notNull().default(false),
  seen_at: exactInstant().notNull().default(sql`now()`),
  steady_since: exactInstant().notNull().default(sql`now()`),
  started_at: exactInstant().notNull().default(sql`now()`),
})
