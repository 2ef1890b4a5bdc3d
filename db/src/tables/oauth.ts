import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
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

export const authorization_codes = pgTable('authorization_codes', {
  hash: bytea().primaryKey(),
  credential_id: uuid().notNull(),
  redirect_uri: text().notNull(),
  code_challenge: text().notNull(),
  expires_at: instant().notNull(),
  used_at: instant(),
})

export const device_codes = pgTable('device_codes', {
  hash: bytea().primaryKey(),
  user_code_mac: bytea().notNull(),
  client_id: uuid().notNull(),
  scopes: text().array().notNull(),
  expires_at: instant().notNull(),
  interval_seconds: integer().notNull().default(5),
  polled_at: exactInstant(),
  decision: text(),
  credential_id: uuid(),
  taken_at: instant(),
  resource: text(),
})
