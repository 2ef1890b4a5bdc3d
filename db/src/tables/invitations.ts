import type { InvitationState, Role } from '@earshot/contracts'
import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, instant, lifetime, newId } from './columns.ts'

export const invitations = pgTable(
  'invitations',
  {
    team_id: uuid().notNull(),
    id: newId(),
    email: text().notNull(),
    role: text().$type<Role>().notNull(),
    token_hash: bytea().notNull(),
    /** Still `pending` after `expires_at`: read it by `stateNow`. */
    state: text().$type<InvitationState>().notNull().default('pending'),
    invited_by: uuid(),
    expires_at: instant().notNull(),
    accepted_at: instant(),
    accepted_by: uuid(),
    revoked_at: instant(),
    ...lifetime,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.id] })],
)
