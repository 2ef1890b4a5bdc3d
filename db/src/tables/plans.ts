import { boolean, jsonb, pgTable, text } from 'drizzle-orm/pg-core'

export const plans = pgTable('plans', {
  name: text().primaryKey(),
  api_access: boolean().notNull(),
  features: text().array().notNull(),
  quotas: jsonb().$type<Record<string, number>>().notNull(),
})
