import { date, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

export const quota_usage = pgTable(
  'quota_usage',
  {
    team_id: uuid().notNull(),
    quota: text().notNull(),
    period: date({ mode: 'string' }).notNull(),
    stripe: integer().notNull().default(0),
    used: integer().notNull().default(0),
    granted: integer().notNull().default(0),
    max: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.quota, table.period, table.stripe, table.used] })],
)
