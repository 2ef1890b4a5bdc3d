import type { ImageFailure } from '@earshot/contracts'
import { bigint, boolean, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant, lifetime, newId } from './columns.ts'

export const projects = pgTable(
  'projects',
  {
    team_id: uuid().notNull(),
    id: newId(),
    name: text().notNull(),
    slug: text().notNull(),
    website_url: text(),
    collects_text: boolean().notNull(),
    collects_video: boolean().notNull(),
    collects_rating: boolean().notNull(),
    consent_text: text().notNull(),
    thank_you_text: text().notNull(),
    theme_color: text(),
    theme_logo_url: text(),
    theme_logo_version: text(),
    theme_logo_error: text().$type<ImageFailure>(),
    deleted_at: instant(),
    ...lifetime,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.id] })],
)

export const project_counters = pgTable(
  'project_counters',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    public_count: integer().notNull().default(0),
    rated_count: integer().notNull().default(0),
    rating_sum: integer().notNull().default(0),
    version: bigint({ mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id] })],
)
