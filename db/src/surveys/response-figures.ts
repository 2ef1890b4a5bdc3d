import { npsGroups } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { noteNews } from '../notifications/news.ts'
import { noteDueLists } from '../search/lists.ts'
import { numbered } from '../sql/batch.ts'
import { foldOf } from '../sql/folding.ts'
import { statement } from '../sql/statement.ts'
import { answer_totals, type ResponseRow, response_changes, response_days, survey_responses, surveys } from '../tables/surveys.ts'
import { teams } from '../tables/teams.ts'
import { answerBuckets } from './answer-buckets.ts'

const note = statement<{ fields: string; buckets: string; amount: 1 | -1 }, never>(
  (p) => sql`
  select
    from jsonb_populate_record(null::${survey_responses}, ${p.fields}::jsonb) r
   cross join lateral note_response_changes(array[r], array[${p.buckets}::jsonb], ${p.amount}::int)`,
)

/** Notes in the transaction of its deletion that a response no longer counts. */
export async function noteDeletedResponse(tx: Tx, row: ResponseRow): Promise<void> {
  await note(tx, { fields: JSON.stringify(row), buckets: JSON.stringify(answerBuckets(row.answers)), amount: -1 })
}

const noteEach = statement<{ items: string }, never>(
  (p) => sql`
  select
    from (
           select array_agg(r order by i.number) as responses, array_agg(i.buckets order by i.number) as buckets
             from jsonb_to_recordset(${p.items}::jsonb) i (number int, fields jsonb, buckets jsonb)
            cross join lateral jsonb_populate_record(null::${survey_responses}, i.fields) r
         ) n
   cross join lateral note_response_changes(n.responses, n.buckets, -1)`,
)

/** Notes the same of any number of responses, in one statement. */
export async function noteDeletedResponses(tx: Tx, rows: readonly ResponseRow[]): Promise<void> {
  if (rows.length === 0) return
  await noteEach(tx, { items: numbered(rows.map((row) => ({ fields: row, buckets: answerBuckets(row.answers) }))) })
}

const { promoter, passive } = npsGroups

/** What a change adds to the columns of `response_days`. The change is named `c`. */
export const changeOfDay = sql.raw(
  `c.amount as responses,
           case when c.nps_score >= ${promoter} then c.amount else 0 end as promoters,
           case when c.nps_score between ${passive} and ${promoter - 1} then c.amount else 0 end as passives,
           case when c.nps_score < ${passive} then c.amount else 0 end as detractors`,
)

/** What a change adds to the counts of answers. The change is named `c`. */
export const changeOfAnswers = sql`
   cross join lateral unnest(c.question_ids, c.buckets, c.numbers) a (question_id, bucket, number)`

/** Folds changes of responses into the figures of their surveys. */
export const foldResponseChanges = foldOf(response_changes, {
  hasParent: sql`exists (
             select
               from ${surveys} s
              where s.team_id = c.team_id and s.project_id = c.project_id and s.id = c.survey_id
           )`,
  inserts: [
    sql`
    insert into ${response_days} as d (
      team_id, project_id, survey_id, day, survey_version, language, responses, promoters, passives, detractors
    )
    select c.team_id, c.project_id, c.survey_id, c.day, c.survey_version, c.language, ${sums('responses', 'promoters', 'passives', 'detractors')}
      from (
             select c.*, ${changeOfDay}
               from changes c
           ) c
     group by c.team_id, c.project_id, c.survey_id, c.day, c.survey_version, c.language
        on conflict (team_id, project_id, survey_id, day, survey_version, language) do update
       set responses = d.responses + excluded.responses,
           promoters = d.promoters + excluded.promoters,
           passives = d.passives + excluded.passives,
           detractors = d.detractors + excluded.detractors`,
    sql`
    insert into ${answer_totals} as t (
      team_id, project_id, survey_id, period, start, survey_version, language, question_id, bucket, count, sum
    )
    select c.team_id, c.project_id, c.survey_id, p.period, date_trunc(p.period, c.day::timestamp)::date, c.survey_version, c.language,
           a.question_id, a.bucket, sum(c.amount), coalesce(sum(c.amount * a.number), 0)
      from changes c${changeOfAnswers}
     cross join (values ('day'), ('month')) p (period)
     group by c.team_id, c.project_id, c.survey_id, p.period, 5, c.survey_version, c.language, a.question_id, a.bucket
        on conflict (team_id, project_id, survey_id, period, start, survey_version, language, question_id, bucket) do update
       set count = t.count + excluded.count,
           sum = t.sum + excluded.sum`,
    noteDueLists(sql`c.survey_id`),
    noteNews(
      'low_nps',
      sql`
             select distinct c.team_id
               from changes c
              cross join lateral (
                      select nps_low_score_threshold as threshold
                        from ${teams} t
                       where t.id = c.team_id
                       limit 1
                    ) t
              where c.nps_score < t.threshold and c.amount > 0`,
    ),
  ],
})

function sums(...columns: string[]): SQL {
  return sql.raw(columns.map((name) => `sum(c.${name})`).join(', '))
}
