import type { Channel, VideoFailure, VideoState } from '@earshot/contracts'
import { boolean, integer, jsonb, pgTable, primaryKey, real, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, instant, lifetime, newId } from './columns.ts'

export const videos = pgTable(
  'videos',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    id: newId(),
    state: text().$type<VideoState>().notNull().default('reserved'),
    channel: text().$type<Channel>().notNull(),
    file_name: text().notNull(),
    content_type: text().notNull(),
    size_bytes: integer(),
    max_bytes: integer().notNull(),
    offset_bytes: integer().notNull().default(0),
    token_hash: bytea().notNull(),
    upload_until: instant().notNull(),
    lease_number: integer().notNull().default(0),
    leased_until: instant(),
    uploaded_at: instant(),
    attempt: integer().notNull().default(0),
    failed_attempts: integer().notNull().default(0),
    progress: real(),
    duration_ms: integer(),
    width: integer(),
    height: integer(),
    clip_key: text(),
    clip_bytes: integer(),
    poster_key: text(),
    poster_bytes: integer(),
    original_until: instant(),
    error_code: text().$type<VideoFailure>(),
    error_detail: text(),
    title: text(),
    body: text().notNull().default(''),
    rating: smallint(),
    author_name: text(),
    author_email: text(),
    author_title: text(),
    author_company: text(),
    author_website_url: text(),
    consent_granted: boolean().notNull().default(false),
    consent_text: text(),
    consent_granted_at: instant(),
    language: text(),
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    submission_id: uuid(),
    submitted_at: instant(),
    created_by: uuid(),
    deleted_at: instant(),
    ...lifetime,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.id] })],
)

export type VideoRow = typeof videos.$inferSelect

export const video_parts = pgTable(
  'video_parts',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    video_id: uuid().notNull(),
    first_byte: integer().notNull(),
    size_bytes: integer().notNull(),
    key: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.video_id, table.first_byte] })],
)

export const video_captions = pgTable(
  'video_captions',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    video_id: uuid().notNull(),
    id: newId(),
    language: text().notNull(),
    label: text().notNull(),
    vtt: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.video_id, table.id] })],
)

export type CaptionRow = typeof video_captions.$inferSelect

export const transcode_turns = pgTable('transcode_turns', {
  team_id: uuid().primaryKey(),
  served_at: instant().notNull(),
})
