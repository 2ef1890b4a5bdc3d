import type { SubmissionKind, Widget } from '@earshot/contracts'
import { pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { instant, lifetime, newId } from './columns.ts'

export const widgets = pgTable(
  'widgets',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    id: newId(),
    name: text().notNull(),
    layout: text().$type<Widget['layout']>().notNull(),
    item_order: text().$type<Widget['order']>().notNull(),
    max_items: smallint().notNull(),
    filter_tags: text().array().notNull(),
    filter_kinds: text().array().$type<SubmissionKind[]>().notNull(),
    filter_min_rating: smallint(),
    theme_color: text(),
    theme_mode: text().$type<Widget['theme']['mode']>().notNull(),
    deleted_at: instant(),
    ...lifetime,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.id] })],
)
