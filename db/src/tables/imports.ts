import type { Import, ImportFailure, ImportField, ImportPreset, ImportRowError } from '@earshot/contracts'
import { boolean, date, doublePrecision, integer, jsonb, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, instant, lifetime, newId } from './columns.ts'

export const imports = pgTable(
  'imports',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    id: newId(),
    state: text().$type<Import['state']>().notNull(),
    target: text().$type<Import['target']>().notNull(),
    file_name: text().notNull(),
    size_bytes: integer(),
    file_key: text(),
    file_until: instant(),
    mapping: jsonb().$type<Record<string, ImportField>>().notNull(),
    date_order: text().$type<NonNullable<Import['date_order']>>(),
    consent: jsonb().$type<Import['consent']>(),
    rating_scale: smallint().$type<NonNullable<Import['rating_scale']>>(),
    dedupe_by: text().$type<NonNullable<Import['dedupe_by']>>(),
    mode: text().$type<Import['mode']>().notNull(),
    dry_run: boolean().notNull(),
    suppress_events: boolean().notNull(),
    encoding: text(),
    delimiter: text(),
    columns: text().array(),
    preset: text().$type<ImportPreset>(),
    preview: jsonb().$type<Import['preview']>(),
    read_records: integer().notNull().default(0),
    read_bytes: doublePrecision().notNull().default(0),
    read_lines: integer().notNull().default(0),
    row_count: integer().notNull().default(0),
    created_count: integer().notNull().default(0),
    updated_count: integer().notNull().default(0),
    skipped_count: integer().notNull().default(0),
    failed_count: integer().notNull().default(0),
    removed_count: integer().notNull().default(0),
    undone_until: uuid(),
    paced_until: instant(),
    charged_period: date(),
    charged_units: integer().notNull().default(0),
    error_code: text().$type<ImportFailure>(),
    error_detail: text(),
    created_by: uuid(),
    started_at: instant(),
    finished_at: instant(),
    ...lifetime,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.id] })],
)

export type ImportRow = typeof imports.$inferSelect

export const import_files = pgTable(
  'import_files',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    import_id: uuid().notNull(),
    bytes: bytea().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.import_id] })],
)

export const import_rows = pgTable(
  'import_rows',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    import_id: uuid().notNull(),
    id: newId(),
    row_number: integer().notNull(),
    line: integer().notNull(),
    column_name: text(),
    code: text().$type<ImportRowError>().notNull(),
    detail: text().notNull(),
    row_text: text().notNull(),
    author_email: text(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.import_id, table.id] })],
)

export type FailedRow = typeof import_rows.$inferSelect
