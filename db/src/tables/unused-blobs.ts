import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant } from './columns.ts'

export const unused_blobs = pgTable(
  'unused_blobs',
  {
    team_id: uuid().notNull(),
    key: text().notNull(),
    delete_at: instant().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.key] })],
)
