import type { QuestionInput } from '@earshot/contracts'
import { createSurvey, type Database, publishSurvey } from '@earshot/db'
import type { Sql } from 'postgres'
import type { Team } from '../teams.ts'

const CHOICES = ['friend', 'web', 'fair', 'press']
const OPTIONS = CHOICES.map((value) => ({ value, label: value }))
const QUESTIONS = [
  { ref: 'recommend', type: 'nps', title: 'How likely are you to recommend us?' },
  { ref: 'stars', type: 'rating', title: 'How do you rate us?' },
  { ref: 'support', type: 'csat', title: 'How was the support?' },
  { ref: 'effort', type: 'ces', title: 'How easy was it?' },
  { ref: 'source', type: 'single_choice', title: 'Where did you hear of us?', options: OPTIONS },
  { ref: 'uses', type: 'multiple_choice', title: 'What do you use?', options: OPTIONS },
  { ref: 'stays', type: 'boolean', title: 'Will you stay?' },
  { ref: 'seats', type: 'number', title: 'How many are you?' },
  { ref: 'words', type: 'short_text', title: 'What else?' },
  { ref: 'more', type: 'long_text', title: 'And then?' },
] as const
/** The span over which responses are spread. */
const SPREAD_DAYS = 731
const DAY_SECONDS = 86_400

/** A published survey. */
export interface FilledSurvey {
  id: string
  /** Ids by `ref`. */
  questions: Record<(typeof QUESTIONS)[number]['ref'], string>
}

/** Publishes a survey of ten questions. */
export async function makeSurvey(database: Database, { id: team_id, project_id }: Team): Promise<FilledSurvey> {
  const actor = { userId: null, credentialId: null, credentialKind: 'bench', ip: null }
  const project = { team_id, project_id }
  // The contract's defaults, which the API would fill in.
  const questions = QUESTIONS.map((question) => ({ show_if: null, required: false, ...question })) as unknown as QuestionInput[]
  const fields = { name: 'Bench', questions }
  const made = await createSurvey(database, actor, project, { fields, makeId: () => crypto.randomUUID() })
  await publishSurvey(database, actor, { ...project, survey_id: made.id })
  const ids = Object.fromEntries(made.questions.map(({ ref, id }) => [ref, id]))
  // The survey has the questions above.
  return { id: made.id, questions: ids as FilledSurvey['questions'] }
}

/** Inserts responses over two years, and the figures that a worker would have folded. */
export async function fillResponses(client: Sql, { team, survey }: { team: Team; survey: FilledSurvey }, count: number): Promise<void> {
  const { questions } = survey
  const seconds = (SPREAD_DAYS * DAY_SECONDS) / count
  await client`
    insert into survey_responses (
      team_id, project_id, survey_id, id, survey_version, respondent_external_id, answers, nps_score, language, channel, day
    )
    select ${team.id}, ${team.project_id}, ${survey.id}, uuidv7(a.ago), 1, 'user ' || i,
           jsonb_build_array(
             jsonb_build_object('question_id', ${questions.recommend}::text, 'type', 'nps', 'value', i % 11),
             jsonb_build_object('question_id', ${questions.stars}::text, 'type', 'rating', 'value', 1 + i % 5),
             jsonb_build_object('question_id', ${questions.support}::text, 'type', 'csat', 'value', 1 + i % 5),
             jsonb_build_object('question_id', ${questions.effort}::text, 'type', 'ces', 'value', 1 + i % 7),
             jsonb_build_object('question_id', ${questions.source}::text, 'type', 'single_choice', 'value', (${CHOICES}::text[])[1 + i % 4]),
             jsonb_build_object('question_id', ${questions.uses}::text, 'type', 'multiple_choice', 'value', (${CHOICES}::text[])[1 + i % 2:3]),
             jsonb_build_object('question_id', ${questions.stays}::text, 'type', 'boolean', 'value', i % 3 > 0),
             jsonb_build_object('question_id', ${questions.seats}::text, 'type', 'number', 'value', i % 200),
             jsonb_build_object('question_id', ${questions.words}::text, 'type', 'short_text', 'value', 'Word ' || i || case when i = 77 then ' onboarding' else '' end),
             jsonb_build_object('question_id', ${questions.more}::text, 'type', 'long_text', 'value', repeat('And more of it. ', 5))
           ),
           i % 11, (array['en', 'de', 'en', null])[1 + i % 4], 'public', (now() + a.ago)::date
      from generate_series(1, ${count}::int) i
     cross join lateral (select make_interval(secs => (i - ${count}::int) * ${seconds}::float8) as ago) a`
  await client`
    insert into response_days (team_id, project_id, survey_id, day, survey_version, language, responses, promoters, passives, detractors)
    select team_id, project_id, survey_id, day, survey_version, coalesce(language, ''), count(*), count(*) filter (where nps_score >= 9),
           count(*) filter (where nps_score between 7 and 8), count(*) filter (where nps_score <= 6)
      from survey_responses
     where survey_id = ${survey.id}
     group by 1, 2, 3, 4, 5, 6`
  await client`
    insert into answer_totals (team_id, project_id, survey_id, period, start, survey_version, language, question_id, bucket, count, sum)
    select r.team_id, r.project_id, r.survey_id, 'day', r.day, r.survey_version, coalesce(r.language, ''), (a->>'question_id')::uuid, b.bucket,
           count(*), coalesce(sum((a->>'value')::numeric) filter (where a->>'type' = 'number'), 0)
      from survey_responses r
     cross join lateral jsonb_array_elements(r.answers) a
     cross join lateral (
             select case when a->>'type' in ('short_text', 'long_text', 'multiple_choice') then '' else a->>'value' end as bucket
             union all
             select jsonb_array_elements_text(a->'value') where a->>'type' = 'multiple_choice'
           ) b
     where r.survey_id = ${survey.id}
     group by 1, 2, 3, 5, 6, 7, 8, 9`
  await client`
    insert into answer_totals (team_id, project_id, survey_id, period, start, survey_version, language, question_id, bucket, count, sum)
    select team_id, project_id, survey_id, 'month', date_trunc('month', start::timestamp)::date, survey_version, language, question_id, bucket,
           sum(count), sum(sum)
      from answer_totals
     where survey_id = ${survey.id}
     group by 1, 2, 3, 5, 6, 7, 8, 9`
}
