import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { bytea, instant, lifetime, newId } from './columns.ts'

export const mails = pgTable('mails', {
  id: newId().primaryKey(),
  recipient: text().notNull(),
  template: text().notNull(),
  fields: jsonb().$type<Record<string, unknown>>().notNull(),
  sealed: bytea(),
  state: text().$type<'queued' | 'sent' | 'kept' | 'failed' | 'dropped'>().notNull().default('queued'),
  error: text(),
  attempts: integer().notNull().default(0),
  sent_at: instant(),
  created_at: lifetime.created_at,
})
