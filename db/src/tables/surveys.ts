import type { Channel, CheckedAnswer, Question, SurveyStatus, Translations } from '@earshot/contracts'
import { boolean, date, integer, jsonb, numeric, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
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
    day: date().notNull(),
    hidden: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    duration_ms: integer(),
    is_only_one: boolean().notNull().default(false),
    deleted_at: instant(),
    ...lifetime,
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.survey_id, table.id] })],
)

export type ResponseRow = typeof survey_responses.$inferSelect

export const response_changes = pgTable(
  'response_changes',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    survey_id: uuid().notNull(),
    id: newId(),
    amount: integer().notNull(),
    day: date().notNull(),
    survey_version: integer().notNull(),
    language: text().notNull(),
    nps_score: smallint(),
    question_ids: uuid().array().notNull(),
    buckets: text().array().notNull(),
    numbers: numeric().array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.survey_id, table.id] })],
)

export const response_days = pgTable(
  'response_days',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    survey_id: uuid().notNull(),
    day: date().notNull(),
    survey_version: integer().notNull(),
    language: text().notNull(),
    responses: integer().notNull(),
    promoters: integer().notNull(),
    passives: integer().notNull(),
    detractors: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.team_id, table.project_id, table.survey_id, table.day, table.survey_version, table.language] })],
)

export const answer_totals = pgTable(
  'answer_totals',
  {
    team_id: uuid().notNull(),
    project_id: uuid().notNull(),
    survey_id: uuid().notNull(),
    period: text().$type<'day' | 'month'>().notNull(),
    start: date().notNull(),
    survey_version: integer().notNull(),
    language: text().notNull(),
    question_id: uuid().notNull(),
    bucket: text().notNull(),
    count: integer().notNull(),
    sum: numeric().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.team_id,
        table.project_id,
        table.survey_id,
        table.period,
        table.start,
        table.survey_version,
        table.language,
        table.question_id,
        table.bucket,
      ],
    }),
  ],
)
