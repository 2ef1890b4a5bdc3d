import { sql } from 'drizzle-orm'
import { bigint, boolean, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { bytea, instant, lifetime, newId } from './columns.ts'

export const second_factors = pgTable('second_factors', {
  user_id: uuid().primaryKey(),
  sealed: bytea().notNull(),
  last_step: bigint({ mode: 'bigint' }).notNull().default(sql`0`),
})

export const recovery_codes = pgTable(
  'recovery_codes',
  {
    user_id: uuid().notNull(),
    hash: bytea().notNull(),
    used_at: instant(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.hash] })],
)

export const wrong_codes = pgTable('wrong_codes', {
  id: newId().primaryKey(),
  user_id: uuid().notNull(),
  step_id: uuid(),
  is_mailed: boolean().notNull().default(false),
  created_at: lifetime.created_at,
})
