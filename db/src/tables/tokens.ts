import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, exactInstant, instant } from './columns.ts'

export const access_tokens = pgTable('access_tokens', {
  hash: bytea().primaryKey(),
  credential_id: uuid().notNull(),
  scopes: text().array().notNull(),
  expires_at: instant().notNull(),
})

export const refresh_tokens = pgTable('refresh_tokens', {
  hash: bytea().primaryKey(),
  credential_id: uuid().notNull(),
  expires_at: instant().notNull(),
  used_at: exactInstant(),
  successor: bytea(),
})
