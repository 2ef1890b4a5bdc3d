import { jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { inet, lifetime, newId } from './columns.ts'

export const audit_entries = pgTable(
  'audit_entries',
  {
    team_id: uuid().notNull(),
    id: newId(),
    project_id: uuid(),
    actor_user_id: uuid(),
    credential_id: uuid(),
    credential_kind: text(),
    ip: inet(),
    action: text().notNull(),
    target_type: text().notNull(),
    target_id: uuid(),
    changes: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    created_at: lifetime.created_at,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.id] })],
)
