import { date, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

export const quota_usage = pgTable(
  'quota_usage',
  {
    team_id: uuid().notNull(),
    quota: text().notNull(),
    period: date({ mode: 'string' }).notNull(),
    used: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.quota, table.period] })],
)
