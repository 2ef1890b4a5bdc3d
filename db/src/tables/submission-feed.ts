import type { SubmissionChange } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { bigint, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { exactInstant } from './columns.ts'

const owner = { team_id: uuid().notNull(), project_id: uuid().notNull() }
const feedPosition = () => bigint({ mode: 'bigint' }).notNull()
const change = {
  submission_id: uuid().notNull(),
  kind: text().$type<SubmissionChange['kind']>().notNull(),
  state: text().$type<SubmissionChange['state']>().notNull(),
  change: text().$type<'created' | 'approved' | 'rejected' | 'updated' | 'deleted'>().notNull(),
}

export const submission_feed_waiting = pgTable('submission_feed_waiting', {
  ...owner,
  ...change,
  changed_at: exactInstant().notNull().default(sql`clock_timestamp()`),
})

export const submission_feed = pgTable(
  'submission_feed',
  {
    ...owner,
    position: feedPosition(),
    previous_position: feedPosition(),
    ...change,
    changed_at: exactInstant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.position] })],
)

export const submission_feed_ends = pgTable('submission_feed_ends', { ...owner, position: feedPosition() }, (table) => [
  primaryKey({ columns: [table.team_id, table.project_id] }),
])
