import { sql } from 'drizzle-orm'
import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { bytea, exactInstant } from './columns.ts'

export const jwt_keys = pgTable('jwt_keys', {
  id: text().primaryKey(),
  public_key: jsonb().$type<Record<string, unknown>>().notNull(),
  sealed_private: bytea().notNull(),
  created_at: exactInstant().notNull().default(sql`now()`),
  retires_at: exactInstant(),
})
