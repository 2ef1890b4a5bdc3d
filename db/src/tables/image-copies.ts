import type { ImageFailure } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, instant } from './columns.ts'

export const image_copies = pgTable(
  'image_copies',
  {
    team_id: uuid().notNull(),
    owner_id: uuid().notNull(),
    project_id: uuid().notNull(),
    kind: text().$type<'avatar' | 'logo'>().notNull(),
    source_url: text().notNull(),
    state: text().$type<'pending' | 'ready' | 'failed'>().notNull().default('pending'),
    attempts: integer().notNull().default(0),
    due_at: instant().notNull().default(sql`clock_timestamp()`),
    error_code: text().$type<ImageFailure>(),
    version: text(),
    width: integer(),
    height: integer(),
    bytes: bytea(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.owner_id] })],
)

export type ImageCopyRow = typeof image_copies.$inferSelect
