import type { CredentialKind } from '@earshot/contracts'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, inet, instant, lifetime, newId } from './columns.ts'

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
  resource: text(),
  ...lifetime,
})
