import { sql } from 'drizzle-orm'
import { foldOf } from '../sql/folding.ts'
import { tag_changes, tag_totals } from '../tables/submissions.ts'
import { projectExists } from './counts.ts'

/** Folds changes of tags into their totals. A tag that no submission has any more is left out of them. */
export const foldTagChanges = foldOf(tag_changes, {
  hasParent: projectExists,
  inserts: [
    sql`
    insert into ${tag_totals} as t (team_id, project_id, tag, count)
    select c.team_id, c.project_id, c.tag, sum(c.amount)
      from changes c
     group by c.team_id, c.project_id, c.tag
        on conflict (team_id, project_id, tag) do update
       set count = t.count + excluded.count`,
  ],
  cleanUp: sql`
  delete from ${tag_totals}
   where count = 0`,
})
