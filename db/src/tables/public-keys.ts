import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant, lifetime, newId } from './columns.ts'

export const public_keys = pgTable(
  'public_keys',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    id: newId(),
    key: text().notNull(),
    label: text(),
    last_used_at: instant(),
    revoked_at: instant(),
    ...lifetime,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.id] })],
)
