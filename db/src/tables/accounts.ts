import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, instant } from './columns.ts'

export const account_links = pgTable(
  'account_links',
  {
    user_id: uuid().notNull(),
    purpose: text().$type<'verify' | 'reset'>().notNull(),
    hash: bytea().notNull(),
    expires_at: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.purpose] })],
)
