import type { Client } from '@earshot/contracts/client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api, type Item, type Output, queries } from '../api.ts'
import { useProjectRef } from '../shell/places.ts'

const MOST_NAMES = 100

export type Survey = Output<Client['surveys']['retrieve']>
export type Question = Survey['questions'][number]
export type QuestionType = Question['type']
export type Condition = NonNullable<Question['show_if']>
export type ConditionRule = Condition['rules'][number]
type Results = Output<Client['surveys']['results']>
export type SurveySummary = Item<Client['surveys']['summaries']['list']>
export type QuestionResults = Results['questions'][number]
export type SurveyResponse = Item<Client['responses']['list']>

/** The fields of `surveys.update`, without those of the address. */
export type SurveyInput = Omit<Parameters<Client['surveys']['update']>[0], keyof SurveyRef | 'expected_updated_at'>
export type QuestionInput = NonNullable<SurveyInput['questions']>[number]
export type ResultsInput = Omit<Parameters<Client['surveys']['results']>[0], keyof SurveyRef>

/** The fields that name a survey in its operations. */
export interface SurveyRef {
  team_id: string
  project_id: string
  survey_id: string
}

/** The survey of the address. */
export function useSurveyRef(): SurveyRef {
  const { survey = '' } = useParams({ strict: false })
  return { ...useProjectRef(), survey_id: survey }
}

export const surveysKey = (projectId: string) => ['surveys', projectId] as const

export const surveyQuery = (ref: SurveyRef) => ({
  queryKey: ['survey', ref.survey_id],
  queryFn: () => api.surveys.retrieve(ref),
})

export const resultsQuery = (ref: SurveyRef, input: ResultsInput = {}) => ({
  queryKey: ['survey-results', ref.survey_id, input],
  queryFn: () => api.surveys.results({ ...ref, ...input }),
})

/** The newest surveys of a project, to choose one. */
export const surveyNamesQuery = (ref: Omit<SurveyRef, 'survey_id'>) =>
  queryOptions({
    queryKey: [...surveysKey(ref.project_id), 'names'],
    queryFn: async () => (await api.surveys.list({ ...ref, limit: MOST_NAMES })).results,
  })

/** The figures of all surveys of a project, in the order of their list. */
export const summariesQuery = (ref: Omit<SurveyRef, 'survey_id'>) =>
  infiniteQueryOptions({
    queryKey: ['survey-summaries', ref.project_id],
    queryFn: ({ pageParam: cursor }) => api.surveys.summaries.list({ ...ref, ...(cursor !== null && { cursor }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })

/** Shows a changed survey at once on every page that knows it. */
export function noteSurvey(survey: Survey): void {
  // A read that is on its way may bring the state before the change.
  void queries.cancelQueries({ queryKey: ['survey', survey.id] })
  queries.setQueryData(['survey', survey.id], survey)
  void queries.invalidateQueries({ queryKey: surveysKey(survey.project_id) })
}

/** Forgets figures that a change of responses made wrong. */
export async function forgetResults(surveyId: string): Promise<void> {
  await Promise.all([['survey-results', surveyId], ['survey-summaries']].map((queryKey) => queries.invalidateQueries({ queryKey })))
}
