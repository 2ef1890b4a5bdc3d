import type { Channel, CheckedAnswer, Question, SurveyStatus, Translations } from '@earshot/contracts'
import { boolean, integer, jsonb, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { instant, lifetime, newId } from './columns.ts'

export const surveys = pgTable(
  'surveys',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    id: newId(),
    name: text().notNull(),
    status: text().$type<SurveyStatus>().notNull().default('draft'),
    version: integer().notNull().default(1),
    closes_at: instant(),
    response_limit: integer(),
    response_count: integer().notNull().default(0),
    one_per_respondent: boolean().notNull().default(false),
    deleted_at: instant(),
    ...lifetime,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.id] })],
)

export const survey_versions = pgTable(
  'survey_versions',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    survey_id: uuid().notNull(),
    version: integer().notNull(),
    language: text().notNull(),
    questions: jsonb().$type<Question[]>().notNull(),
    translations: jsonb().$type<Translations>().notNull(),
    thank_you_text: text(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.survey_id, table.version] })],
)

export const survey_responses = pgTable(
  'survey_responses',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    survey_id: uuid().notNull(),
    id: newId(),
    survey_version: integer().notNull(),
    respondent_external_id: text(),
    respondent_email: text(),
    respondent_name: text(),
    respondent_properties: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    answers: jsonb().$type<CheckedAnswer[]>().notNull(),
    nps_score: smallint(),
    language: text(),
    channel: text().$type<Channel>().notNull(),
    hidden: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    duration_ms: integer(),
    is_only_one: boolean().notNull().default(false),
    deleted_at: instant(),
    ...lifetime,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.survey_id, table.id] })],
)
