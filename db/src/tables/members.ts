import type { Role } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant } from './columns.ts'

export const memberships = pgTable(
  'memberships',
  {
    team_id: uuid().notNull(),
    user_id: uuid().notNull(),
    role: text().$type<Role>().notNull(),
    joined_at: instant().notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.user_id] })],
)
