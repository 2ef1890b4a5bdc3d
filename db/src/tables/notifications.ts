import type { NotificationFrequency, NotificationKind } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant } from './columns.ts'

export const notifications = pgTable(
  'notifications',
  {
    team_id: uuid().notNull(),
    user_id: uuid().notNull(),
    kind: text().$type<NotificationKind>().notNull(),
    frequency: text().$type<NotificationFrequency>().notNull().default('daily'),
    told_until: instant().notNull().default(sql`now()`),
    due_at: instant(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.user_id, table.kind] })],
)
