import { sql } from 'drizzle-orm'
import { date, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, exactInstant, inet, lifetime, newId } from './columns.ts'

export const rate_windows = pgTable('rate_windows', {
  subject: text().primaryKey(),
  window_start: exactInstant().notNull(),
  used: integer().notNull(),
})

export const abuse_blocks = pgTable('abuse_blocks', {
  address: text().primaryKey(),
  violations: exactInstant().array().notNull().default([]),
  blocks: integer().notNull().default(0),
  blocked_until: exactInstant(),
  created_at: exactInstant().notNull().default(sql`now()`),
})

export const quota_usage = pgTable(
  'quota_usage',
  {
    team_id: uuid().notNull(),
    quota: text().notNull(),
    period: date({ mode: 'string' }).notNull(),
    used: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.quota, table.period] })],
)

export const idempotency_keys = pgTable(
  'idempotency_keys',
  {
    caller: text().notNull(),
    key: text().notNull(),
    request_hash: bytea().notNull(),
    answer: text(),
    created_at: exactInstant().notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.caller, table.key] })],
)

export const audit_entries = pgTable(
  'audit_entries',
  {
    team_id: uuid().notNull(),
    id: newId(),
    project_id: uuid(),
    actor_user_id: uuid(),
    credential_id: uuid(),
    credential_kind: text(),
    ip: inet(),
    action: text().notNull(),
    target_type: text().notNull(),
    target_id: uuid(),
    changes: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    created_at: lifetime.created_at,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.id] })],
)
