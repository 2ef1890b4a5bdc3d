import { pgTable, text } from 'drizzle-orm/pg-core'
import { instant, lifetime, newId } from './columns.ts'

export const users = pgTable('users', {
  id: newId().primaryKey(),
  email: text().notNull(),
  name: text().notNull(),
  password_hash: text(),
  avatar_url: text(),
  locale: text().notNull().default('en'),
  timezone: text().notNull().default('UTC'),
  email_verified_at: instant(),
  mfa_enabled_at: instant(),
  disabled_at: instant(),
  ...lifetime,
})
