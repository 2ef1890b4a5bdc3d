import { sql } from 'drizzle-orm'
import { jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, exactInstant, instant, lifetime, newId } from './columns.ts'

export const oauth_clients = pgTable('oauth_clients', {
  id: newId().primaryKey(),
  client_id: text().notNull(),
  name: text().notNull(),
  secret_hash: bytea(),
  redirect_uris: text().array().notNull(),
  grant_types: text().array().notNull(),
  scopes: text().array().notNull(),
  ...lifetime,
})

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

export const jwt_keys = pgTable('jwt_keys', {
  id: text().primaryKey(),
  public_key: jsonb().$type<Record<string, unknown>>().notNull(),
  sealed_private: bytea().notNull(),
  created_at: exactInstant().notNull().default(sql`now()`),
  retires_at: exactInstant(),
})
