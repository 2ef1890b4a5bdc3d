import type { DeliveredEvent } from '@earshot/contracts'
import { bigint, date, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant, lifetime, newId } from './columns.ts'

const eventType = () => text().$type<DeliveredEvent['type']>().notNull()
const feedPosition = () => bigint({ mode: 'bigint' }).notNull()

export const events = pgTable(
  'events',
  {
    team_id: uuid().notNull(),
    id: newId(),
    project_id: uuid(),
    type: eventType(),
    payload: text(),
    payload_sha256: text().notNull(),
    expunged_at: instant(),
    created_at: lifetime.created_at,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.id] })],
)

export const unnumbered_events = pgTable('unnumbered_events', {
  team_id: uuid().notNull(),
  event_id: uuid().notNull(),
  type: eventType(),
})

export const feed_positions = pgTable(
  'feed_positions',
  {
    team_id: uuid().notNull(),
    position: feedPosition(),
    previous_position: feedPosition(),
    event_id: uuid().notNull(),
    type: eventType(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.position] })],
)

export const feed_ends = pgTable('feed_ends', {
  team_id: uuid().primaryKey(),
  position: feedPosition(),
})

export const feed_late_days = pgTable('feed_late_days', {
  day: date().primaryKey(),
  last_position: feedPosition(),
})
