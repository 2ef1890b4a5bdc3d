import type { SubmissionKind, SubmissionState } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { noteNews } from '../notifications/news.ts'
import type { ProjectRef } from '../projects.ts'
import { noteDueLists } from '../search/lists.ts'
import { foldOf } from '../sql/folding.ts'
import { statement } from '../sql/statement.ts'
import { projects } from '../tables/projects.ts'
import { submission_changes, submission_days, submission_totals } from '../tables/submissions.ts'
import { figuresOfChange } from './day-figures.ts'

export interface SubmissionCount {
  team_id: string
  kind: SubmissionKind
  state: SubmissionState
  count: number
}

const read = statement<ProjectRef, SubmissionCount>(
  (p) => sql`
  select c.team_id, c.kind, c.state, sum(c.count)::int as count
    from (
           select team_id, kind, state, count
             from ${submission_totals}
            where team_id = ${p.team_id} and project_id = ${p.project_id}
            union all
           select team_id, kind, state, amount
             from ${submission_changes}
            where team_id = ${p.team_id} and project_id = ${p.project_id}
         ) c
   group by c.team_id, c.kind, c.state
  having sum(c.count) > 0`,
)

/** Counts the submissions of a project by kind and state, exactly. Kinds and states without any are absent. */
export function countSubmissions(tx: Tx, { team_id, project_id }: ProjectRef): Promise<SubmissionCount[]> {
  return read(tx, { team_id, project_id })
}

/** Whether the project of a change `c` is there. */
export const projectExists = sql`exists (
             select
               from ${projects} j
              where j.team_id = c.team_id and j.id = c.project_id
           )`

/** Folds changes of submissions into the figures of their projects. */
export const foldSubmissionChanges = foldOf(submission_changes, {
  hasParent: projectExists,
  inserts: [
    sql`
    insert into ${submission_totals} as s (team_id, project_id, kind, state, count)
    select c.team_id, c.project_id, c.kind, c.state, sum(c.amount)
      from changes c
     group by c.team_id, c.project_id, c.kind, c.state
        on conflict (team_id, project_id, kind, state) do update
       set count = s.count + excluded.count`,
    sql`
    insert into ${submission_days} as d (team_id, project_id, day, dimension, value, count, sum)
    select c.team_id, c.project_id, c.day, f.dimension, f.value, sum(c.amount), sum(c.amount * f.number)
      from changes c${figuresOfChange}
     group by c.team_id, c.project_id, c.day, f.dimension, f.value
        on conflict (team_id, project_id, day, dimension, value) do update
       set count = d.count + excluded.count,
           sum = d.sum + excluded.sum`,
    noteDueLists(sql`c.project_id`),
    noteNews(
      'pending',
      sql`
             select distinct c.team_id
               from changes c
              where c.state = 'pending' and c.amount > 0`,
    ),
  ],
})
