import { sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { exactInstant } from './columns.ts'

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
