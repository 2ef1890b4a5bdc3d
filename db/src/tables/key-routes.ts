import { pgTable, uuid } from 'drizzle-orm/pg-core'
import { bytea } from './columns.ts'

export const key_routes = pgTable('key_routes', {
  key_hash: bytea().primaryKey(),
  team_id: uuid().notNull(),
  project_id: uuid(),
  record_id: uuid().notNull(),
})
