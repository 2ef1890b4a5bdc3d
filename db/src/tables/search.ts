import { boolean, integer, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { bytea, instant } from './columns.ts'

export const search_lists = pgTable(
  'search_lists',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    list_id: uuid().notNull(),
    indexed_id: uuid(),
    version: integer().notNull().default(0),
    due_at: instant(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.list_id] })],
)

export const search_segments = pgTable(
  'search_segments',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    list_id: uuid().notNull(),
    oldest_id: uuid().notNull(),
    newest_id: uuid().notNull(),
    record_count: integer().notNull(),
    ids: bytea().notNull(),
    bits: bytea().notNull(),
    is_stale: boolean().notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.list_id, table.oldest_id] })],
)
