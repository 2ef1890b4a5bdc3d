import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { survey_versions } from '../tables/surveys.ts'
import type { SurveyRef } from './surveys.ts'

/** What the versions of a survey asked under one `ref`. */
export interface AskedQuestion {
  ref: string
  question_ids: string[]
}

const read = statement<SurveyRef, AskedQuestion>(
  (p) => sql`
  select q->>'ref' as ref, array_agg(distinct q->>'id') as question_ids
    from ${survey_versions} v
   cross join lateral jsonb_array_elements(v.questions) with ordinality as asked (q, place)
   where v.team_id = ${p.team_id} and v.project_id = ${p.project_id} and v.survey_id = ${p.survey_id}
     and q->>'type' <> 'statement'
   group by q->>'ref'
   order by max(v.version) desc, max(place)`,
)

/** Lists the questions of all versions of a survey, those of the newest version first, in their order. */
export function listAskedQuestions(tx: Tx, ref: SurveyRef): Promise<AskedQuestion[]> {
  return read(tx, ref)
}
