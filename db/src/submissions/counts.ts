import type { SubmissionKind, SubmissionState } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import type { ProjectRef } from '../projects.ts'
import { oneAtATime } from '../sql/one-at-a-time.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { projects } from '../tables/projects.ts'
import { submission_changes, submission_totals } from '../tables/submissions.ts'

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

const whenWaiting = oneAtATime('fold_submission_changes', submission_changes)

// What is left of a project that is gone counts for nothing.
const fold = statement<{ max: number }, { taken: number }>(
  (p) => sql`
  with taken as materialized (
    delete from ${submission_changes}
     where ctid = any (array(
       select ctid
         from ${submission_changes}
        limit ${p.max}
     ))
    returning team_id, project_id, kind, state, amount
  ),
  folded as (
    insert into ${submission_totals} as s (team_id, project_id, kind, state, count)
    select t.team_id, t.project_id, t.kind, t.state, sum(t.amount)
      from taken t
     where exists (
             select
               from ${projects} j
              where j.team_id = t.team_id and j.id = t.project_id
           )
     group by t.team_id, t.project_id, t.kind, t.state
        on conflict (team_id, project_id, kind, state) do update
       set count = s.count + excluded.count
  )
  select count(*)::int as taken
    from taken`,
)

/**
 * Folds up to `max` changes into the totals of their projects, and returns how many: none also while another worker does it.
 * Both happen in one statement, so every reader sees each change once.
 */
export function foldSubmissionChanges(tx: Tx, { max }: { max: number }): Promise<number> {
  return whenWaiting(tx, async (tx) => onlyOne(await fold(tx, { max })).taken)
}
