import type { Channel, SubmissionKind, SubmissionState } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { bigint, boolean, date, doublePrecision, integer, jsonb, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, instant, lifetime, newId } from './columns.ts'

export const submissions = pgTable(
  'submissions',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    id: newId(),
    kind: text().$type<SubmissionKind>().notNull(),
    state: text().$type<SubmissionState>().notNull().default('pending'),
    channel: text().$type<Channel>().notNull(),
    title: text(),
    body: text().notNull(),
    rating: smallint(),
    author_name: text().notNull(),
    author_email: text(),
    author_title: text(),
    author_company: text(),
    author_avatar_url: text(),
    author_website_url: text(),
    consent_granted: boolean().notNull().default(false),
    consent_text: text(),
    consent_granted_at: instant(),
    consent_revoked_at: instant(),
    source_provider: text(),
    source_url: text(),
    source_collected_at: instant(),
    language: text(),
    tags: text().array().notNull().default([]),
    external_id: text(),
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    video_id: uuid(),
    video_is_ready: boolean().notNull().default(false),
    import_id: uuid(),
    moderated_by: uuid(),
    moderated_at: instant(),
    moderation_reason: text(),
    excerpt: text(),
    featured: boolean().notNull().default(false),
    position: doublePrecision(),
    revoke_token_hash: bytea(),
    day: date().notNull().default(sql`(now() at time zone 'UTC')::date`),
    deleted_at: instant(),
    ...lifetime,
    is_public: boolean()
      .notNull()
      .generatedAlwaysAs(
        sql`state = 'approved' and consent_granted and consent_revoked_at is null and deleted_at is null and (kind <> 'video' or video_is_ready)`,
      ),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.id] })],
)

export type SubmissionRow = typeof submissions.$inferSelect

export const submission_tags = pgTable(
  'submission_tags',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    tag: text().notNull(),
    submission_id: uuid().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.tag, table.submission_id] })],
)

export const submission_metadata = pgTable(
  'submission_metadata',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    key: text().notNull(),
    value: text().notNull(),
    submission_id: uuid().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.key, table.value, table.submission_id] })],
)

export const tag_totals = pgTable(
  'tag_totals',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    tag: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.tag] })],
)

export const tag_changes = pgTable(
  'tag_changes',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    id: newId(),
    tag: text().notNull(),
    amount: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.id] })],
)

export const submission_totals = pgTable(
  'submission_totals',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    kind: text().$type<SubmissionKind>().notNull(),
    state: text().$type<SubmissionState>().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.kind, table.state] })],
)

export const submission_days = pgTable(
  'submission_days',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    day: date().notNull(),
    dimension: text().notNull(),
    value: text().notNull(),
    count: integer().notNull(),
    sum: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.day, table.dimension, table.value] })],
)

export const submission_changes = pgTable(
  'submission_changes',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    id: newId(),
    day: date().notNull(),
    kind: text().$type<SubmissionKind>().notNull(),
    state: text().$type<SubmissionState>().notNull(),
    channel: text().$type<Channel>().notNull(),
    rating: smallint(),
    is_public: boolean().notNull(),
    moderation_ms: bigint({ mode: 'number' }),
    amount: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.id] })],
)

export const visitor_fingerprints = pgTable(
  'visitor_fingerprints',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    fingerprint: bytea().notNull(),
    record_id: uuid().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.fingerprint] })],
)
