import { durations } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import type { ProjectRef } from '../projects.ts'
import { encodePosition, type FeedQuery, type FeedRow, readFeedPage } from '../sql/feed-pages.ts'
import { statement } from '../sql/statement.ts'
import { submission_feed, submission_feed_ends } from '../tables/submission-feed.ts'

/** What changed in a submission. */
export type SubmissionChangeRow = Pick<
  typeof submission_feed.$inferSelect,
  'team_id' | 'project_id' | 'submission_id' | 'kind' | 'state' | 'change' | 'changed_at'
>

type SubmissionFeedRow = FeedRow & (SubmissionChangeRow | { submission_id: null })

// The primary key in its order. A bound that is known when the statement starts leaves out the partitions of other days; positions
// of days before are dropped, or about to be.
const read = statement<ProjectRef & { position: string; limit: number }, SubmissionFeedRow>(
  (p) => sql`
  select page.*, feed.last_position
    from (
           select coalesce((
                    select position
                      from ${submission_feed_ends}
                     where team_id = ${p.team_id} and project_id = ${p.project_id}
                  ), 0) as last_position
         ) feed
    left join lateral (
           select n.team_id, n.project_id, n.position, n.previous_position, n.submission_id, n.kind, n.state, n.change, n.changed_at
             from ${submission_feed} n
            where n.team_id = ${p.team_id} and n.project_id = ${p.project_id}
              and n.position > greatest(
                ${p.position}::bigint,
                feed_position_at(((now() at time zone 'UTC')::date - ${sql.raw(String(durations.eventDays))})::timestamp at time zone 'UTC') - 1
              )
            order by n.position
            limit ${p.limit}
         ) page on true
   order by page.position`,
)

/** Reads a page of what changed in the submissions of a project, as `readEvents` reads events. */
export function readSubmissionFeed<Item>(
  tx: Tx,
  { team_id, project_id, ...query }: ProjectRef & FeedQuery,
  present: (row: SubmissionChangeRow, cursor: string) => Item,
): Promise<{ results: Item[]; next_cursor: string }> {
  return readFeedPage(
    {
      read: (position) => read(tx, { team_id, project_id, position, limit: query.limit }),
      readFirst: () => read(tx, { team_id, project_id, position: '0', limit: 1 }),
    },
    query,
    (row, cursor) => (row.submission_id === null ? null : present(row, cursor)),
  )
}

// One probe of the primary key per project.
const findEnds = statement<{ team_ids: string[]; project_ids: string[] }, ProjectRef & { position: string | null }>(
  (p) => sql`
  select wanted.team_id, wanted.project_id, (
           select e.position
             from ${submission_feed_ends} e
            where e.team_id = wanted.team_id and e.project_id = wanted.project_id
         ) as position
    from unnest(${p.team_ids}::uuid[], ${p.project_ids}::uuid[]) wanted (team_id, project_id)`,
)

/** Returns the end of each project's feed as a cursor, by the project's id: everything up to it is committed. */
export async function readSubmissionFeedEnds(tx: Tx, projects: readonly ProjectRef[]): Promise<Map<string, string>> {
  const rows = await findEnds(tx, {
    team_ids: projects.map(({ team_id }) => team_id),
    project_ids: projects.map(({ project_id }) => project_id),
  })
  return new Map(rows.map(({ project_id, position }) => [project_id, encodePosition(BigInt(position ?? 0))]))
}
