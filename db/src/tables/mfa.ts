import { sql } from 'drizzle-orm'
import { bigint, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { bytea, instant } from './columns.ts'

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
