import type { DeliveredEvent } from '@earshot/contracts'
import { bigint, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { lifetime, newId } from './columns.ts'

export const events = pgTable(
  'events',
  {
    team_id: uuid().notNull(),
    id: newId(),
    project_id: uuid(),
    type: text().$type<DeliveredEvent['type']>().notNull(),
    payload: text().notNull(),
    payload_sha256: text().notNull(),
    feed_position: bigint({ mode: 'bigint' }),
    created_at: lifetime.created_at,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.id] })],
)
