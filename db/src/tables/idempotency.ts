import { sql } from 'drizzle-orm'
import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytea, exactInstant } from './columns.ts'

export const idempotency_keys = pgTable(
  'idempotency_keys',
  {
    caller: text().notNull(),
    key: text().notNull(),
    request_hash: bytea().notNull(),
    result: text(),
    person_macs: bytea().array(),
    created_at: exactInstant().notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.caller, table.key] })],
)
