import type { Plan } from '@earshot/contracts'
import { pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { instant, lifetime, newId } from './columns.ts'

export const teams = pgTable('teams', {
  id: newId().primaryKey(),
  name: text().notNull(),
  slug: text().notNull(),
  plan: text().$type<Plan>().notNull(),
  nps_low_score_threshold: smallint().notNull(),
  cors_origins: text().array().notNull(),
  locale: text().notNull(),
  timezone: text().notNull().default('UTC'),
  payload_retention_days: smallint().notNull().default(30),
  payloads_removed_to: uuid(),
  created_by: uuid(),
  deleted_at: instant(),
  ...lifetime,
})
