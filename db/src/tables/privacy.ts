import { boolean, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, instant, lifetime, newId } from './columns.ts'

/** An endpoint that got copies of what was erased. */
export interface StoredRecipient {
  webhook_id: string
  /** Deliveries that succeeded. */
  deliveries: number
  last_delivered_at: string | null
}

export const privacy_requests = pgTable(
  'privacy_requests',
  {
    team_id: uuid().notNull(),
    id: newId(),
    kind: text().$type<'export' | 'erase'>().notNull(),
    state: text().$type<'running' | 'completed'>().notNull(),
    person_mac: bytea().notNull(),
    sealed_email: bytea(),
    counts: jsonb().$type<Record<string, number>>().notNull().default({}),
    recipients: jsonb().$type<StoredRecipient[]>().notNull().default([]),
    step: text(),
    position: text().array().notNull().default([]),
    requested_by: uuid(),
    completed_at: instant(),
    ...lifetime,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.id] })],
)

export const erased_records = pgTable(
  'erased_records',
  {
    team_id: uuid().notNull(),
    request_id: uuid().notNull(),
    record_id: uuid().notNull(),
    is_event: boolean().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.request_id, table.is_event, table.record_id] })],
)
