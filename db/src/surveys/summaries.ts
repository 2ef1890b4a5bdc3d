import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { answer_totals, response_changes, response_days } from '../tables/surveys.ts'
import { changeOfAnswers } from './response-figures.ts'
import type { AnswerTotal } from './results.ts'

interface Values {
  team_id: string
  project_id: string
  survey_ids: string[]
  question_ids: string[]
}

interface SummaryRow {
  id: string
  responses: number
  totals: AnswerTotal[]
}

// What is folded and what is not are read in one statement, so each response is seen once (db/src/sql/folding.ts).
const read = statement<Values, SummaryRow>(
  (p) => sql`
  select asked.id,
         (
           select coalesce(sum(d.responses), 0)::int
             from (
                    select responses
                      from ${response_days}
                     where team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id = asked.id
                     union all
                    select amount
                      from ${response_changes}
                     where team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id = asked.id
                  ) d
         ) as responses,
         (
           select coalesce(json_agg(f), '[]')
             from (
                    select t.question_id, t.bucket, sum(t.count)::int as count, sum(t.sum) as sum
                      from (
                             select question_id, bucket, count, sum
                               from ${answer_totals}
                              where team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id = asked.id and period = 'month'
                              union all
                             select a.question_id, a.bucket, c.amount, coalesce(c.amount * a.number, 0)
                               from ${response_changes} c${changeOfAnswers}
                              where c.team_id = ${p.team_id} and c.project_id = ${p.project_id} and c.survey_id = asked.id
                           ) t
                     where t.question_id = any (${p.question_ids}::uuid[])
                     group by t.question_id, t.bucket
                    having sum(t.count) > 0
                  ) f
         ) as totals
    from unnest(${p.survey_ids}::uuid[]) asked (id)`,
)

/** Reads how many responded to surveys, and how often each answer to these questions was given, by the ids of the surveys. */
export async function readSurveySummaries(tx: Tx, values: Values): Promise<Map<string, SummaryRow>> {
  return new Map((await read(tx, values)).map((row) => [row.id, row]))
}
