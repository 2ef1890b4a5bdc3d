import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { search_lists, search_segments } from '../tables/search.ts'

/** Records of a list that people search. */
interface Indexed {
  project_id: string
  /** The project for its submissions, else the survey. */
  list_id: string
  id: string
}

// A worker that is reading texts of the list now finds another version, and builds its segment again without them. Lists are locked in
// the order of their keys.
const forget = statement<{ team_id: string; project_ids: string[]; list_ids: string[]; ids: string[] }, never>(
  (p) => sql`
  with gone as materialized (
    select *
      from unnest(${p.project_ids}::uuid[], ${p.list_ids}::uuid[], ${p.ids}::uuid[]) g (project_id, list_id, id)
  ),
  lists as (
    update ${search_lists} l
       set due_at = now(), version = l.version + 1
      from (
             select team_id, project_id, list_id
               from ${search_lists}
              where team_id = ${p.team_id} and (project_id, list_id) in (select project_id, list_id from gone)
              order by project_id, list_id
                for no key update
           ) d
     where l.team_id = d.team_id and l.project_id = d.project_id and l.list_id = d.list_id
  ),
  stale as (
    select distinct n.project_id, n.list_id, n.oldest_id
      from gone g
     cross join lateral (
             select n.project_id, n.list_id, n.oldest_id, n.newest_id
               from ${search_segments} n
              where n.team_id = ${p.team_id} and n.project_id = g.project_id and n.list_id = g.list_id and n.oldest_id <= g.id
              order by n.oldest_id desc
              limit 1
           ) n
     where g.id <= n.newest_id
  )
  update ${search_segments} n
     set is_stale = true
    from stale s
   where n.team_id = ${p.team_id} and n.project_id = s.project_id and n.list_id = s.list_id and n.oldest_id = s.oldest_id`,
)

/** Has the parts of the index that hold traces of these records built again. */
export async function forgetInSearch(tx: Tx, team_id: string, records: readonly Indexed[]): Promise<void> {
  if (records.length === 0) return
  await forget(tx, {
    team_id,
    project_ids: records.map(({ project_id }) => project_id),
    list_ids: records.map(({ list_id }) => list_id),
    ids: records.map(({ id }) => id),
  })
}
