import type { CredentialKind, Role } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { boolean, jsonb, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, inet, instant, lifetime, newId } from './columns.ts'

export const plans = pgTable('plans', {
  name: text().primaryKey(),
  api_access: boolean().notNull(),
  features: text().array().notNull(),
  quotas: jsonb().$type<Record<string, number>>().notNull(),
})

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

export const teams = pgTable('teams', {
  id: newId().primaryKey(),
  name: text().notNull(),
  slug: text().notNull(),
  plan: text().notNull(),
  nps_low_score_threshold: smallint().notNull(),
  cors_origins: text().array().notNull(),
  locale: text().notNull(),
  created_by: uuid(),
  deleted_at: instant(),
  ...lifetime,
})

export const memberships = pgTable(
  'memberships',
  {
    team_id: uuid().notNull(),
    user_id: uuid().notNull(),
    role: text().$type<Role>().notNull(),
    joined_at: instant().notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.user_id] })],
)

export const credentials = pgTable('credentials', {
  id: newId().primaryKey(),
  kind: text().$type<CredentialKind>().notNull(),
  /** Null for what an OAuth client was allowed: it hands out access tokens of its own. */
  hash: bytea(),
  user_id: uuid().notNull(),
  parent_id: uuid(),
  client_id: uuid(),
  name: text(),
  hint: text(),
  scopes: text().array().notNull(),
  expires_at: instant(),
  last_used_at: instant(),
  revoked_at: instant(),
  ip: inet(),
  user_agent: text(),
  ...lifetime,
})
