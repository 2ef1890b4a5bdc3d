import { contracts, type Survey } from '@earshot/contracts'
import {
  closeSurvey,
  createSurvey,
  deleteSurvey,
  findResults,
  findSurvey,
  listSurveySummaries,
  listSurveys,
  publishSurvey,
  type SurveyRow,
  toTimestamp,
  updateSurvey,
} from '@earshot/db'
import { makeId } from './auth/token-values.ts'
import { implement } from './http/implement.ts'
import { hasScore, presentQuestions, scoredTypes, scoreOf } from './survey-results.ts'

export const surveys = implement(contracts.surveys, {
  list: ({ ctx, input }) => listSurveys(ctx.tx, input, presentSurvey),
  create: async ({ ctx, input }) => {
    const { team_id, project_id, ...fields } = input
    return presentSurvey(await createSurvey(ctx.tx, ctx.actor, { team_id, project_id }, { fields, makeId }))
  },
  retrieve: async ({ ctx, input }) => presentSurvey(await findSurvey(ctx.tx, input)),
  update: async ({ ctx, input }) => {
    const { team_id, project_id, survey_id, expected_updated_at: expectedUpdatedAt, ...fields } = input
    const ref = { team_id, project_id, survey_id }
    return presentSurvey(await updateSurvey(ctx.tx, ctx.actor, ref, { fields, expectedUpdatedAt, makeId }))
  },
  delete: ({ ctx, input }) => deleteSurvey(ctx.tx, ctx.actor, input),
  publish: async ({ ctx, input }) => presentSurvey(await publishSurvey(ctx.tx, ctx.actor, input)),
  close: async ({ ctx, input }) => presentSurvey(await closeSurvey(ctx.tx, ctx.actor, input)),
  results: async ({ ctx, input }) => {
    const results = await findResults(ctx.tx, input, input)
    const { survey_version, responses } = results
    const { survey_id, from = null, to = null } = input
    return { survey_id, survey_version, from, to, responses, questions: presentQuestions(results) }
  },
  summaries: {
    list: ({ ctx, input }) =>
      listSurveySummaries(ctx.tx, { ...input, types: scoredTypes }, ({ id, questions, responses, totals }) => ({
        survey_id: id,
        responses,
        score: scoreOf(questions.filter(hasScore), totals),
      })),
  },
})

function presentSurvey(row: SurveyRow): Survey {
  return {
    id: row.id,
    team_id: row.team_id,
    project_id: row.project_id,
    name: row.name,
    status: row.status,
    version: row.version,
    questions: row.questions,
    language: row.language,
    translations: row.translations,
    thank_you_text: row.thank_you_text,
    closes_at: toTimestamp(row.closes_at),
    response_limit: row.response_limit,
    one_per_respondent: row.one_per_respondent,
    response_count: row.response_limit === null ? null : row.response_count,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
