import type { Question, SurveyStatus } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { indexedList, type Listed, listedPage, scannedList, walkOf } from '../sql/bounded-list.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds } from '../sql/pages.ts'
import { statementsByKey } from '../sql/statement.ts'
import { answer_totals, response_changes, response_days, survey_versions, surveys } from '../tables/surveys.ts'
import { changeOfAnswers } from './response-figures.ts'
import type { AnswerTotal } from './results.ts'

interface ProjectRef {
  team_id: string
  project_id: string
}

interface SummaryRow {
  id: string
  team_id: string
  questions: Question[]
  responses: number
  totals: AnswerTotal[]
}

type Values = ProjectRef & PageBounds & { status: SurveyStatus | undefined; types: string[] }

// What is folded and what is not are read in one statement, so each response is seen once (db/src/sql/folding.ts).
const read = statementsByKey<Values, Listed<SummaryRow>>((key, p) => {
  const source = sql`from ${surveys} s where s.team_id = ${p.team_id} and s.project_id = ${p.project_id}`
  const columns = sql`s.id, s.team_id, s.project_id, s.version`
  const listed =
    key === 'all'
      ? indexedList(walkOf(sql`${source} and s.deleted_at is null`, sql`s.id`, undefined), columns)
      : scannedList(walkOf(source, sql`s.id`, undefined), [sql`s.deleted_at is null`, sql`s.status = ${p.status}`], columns)
  return sql`
  select s.*, v.questions,
         (
           select coalesce(sum(d.responses), 0)::int
             from (
                    select responses
                      from ${response_days}
                     where team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id = s.id
                     union all
                    select amount
                      from ${response_changes}
                     where team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id = s.id
                  ) d
         ) as responses,
         (
           select coalesce(json_agg(f), '[]')
             from (
                    select t.question_id, t.bucket, sum(t.count)::int as count, sum(t.sum) as sum
                      from (
                             select question_id, bucket, count, sum
                               from ${answer_totals}
                              where team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id = s.id and period = 'month'
                              union all
                             select a.question_id, a.bucket, c.amount, coalesce(c.amount * a.number, 0)
                               from ${response_changes} c${changeOfAnswers}
                              where c.team_id = ${p.team_id} and c.project_id = ${p.project_id} and c.survey_id = s.id
                           ) t
                     where t.question_id in (
                             select (q.question ->> 'id')::uuid
                               from jsonb_array_elements(v.questions) q (question)
                              where q.question ->> 'type' = any (${p.types}::text[])
                           )
                     group by t.question_id, t.bucket
                    having sum(t.count) > 0
                  ) f
         ) as totals
    from (${listed}) s
    join ${survey_versions} v on v.team_id = s.team_id and v.project_id = s.project_id and v.survey_id = s.id and v.version = s.version
   order by s.id desc`
})

/** Lists how many responded to the surveys of a project, newest first, and how often each answer to questions of these types was given. */
export async function listSurveySummaries<Item>(
  tx: Tx,
  { team_id, project_id, status, types, ...query }: PageQuery & ProjectRef & { status?: SurveyStatus | undefined; types: string[] },
  present: (row: SummaryRow) => Item,
): Promise<Page<Item>> {
  const rows = await read(status === undefined ? 'all' : 'status')(tx, { team_id, project_id, status, types, ...pageBounds(query) })
  return listedPage(rows, query.limit, present)
}
