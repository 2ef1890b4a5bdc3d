import { durations } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { sources } from '../search/lists.ts'
import { statement } from '../sql/statement.ts'
import { credentials } from '../tables/credentials.ts'
import { feed_ends } from '../tables/events.ts'
import { projects } from '../tables/projects.ts'
import { search_lists, search_segments } from '../tables/search.ts'
import { submission_feed_ends } from '../tables/submission-feed.ts'
import { submissions } from '../tables/submissions.ts'
import { answer_totals, survey_responses, surveys } from '../tables/surveys.ts'
import { teams } from '../tables/teams.ts'
import { videos } from '../tables/videos.ts'
import { webhook_attempt_hours, webhook_deliveries, webhook_endpoints } from '../tables/webhooks.ts'
import { widgets } from '../tables/widgets.ts'
import { type BatchedDelete, batchedDelete } from './batched-delete.ts'
import { deleteAll } from './retention.ts'

/** Deleted records are kept for a day, invisible, so that an operator can undo a mistake. */
const isPurged = (row: SQL) => sql`${row}.deleted_at < now() - interval '1 day'`
const ofPurgedTeam = sql`exists (select from ${teams} t where t.id = gone.team_id and ${isPurged(sql`t`)})`
const ofPurgedProject = sql`exists (
  select from ${projects} p where p.team_id = gone.team_id and p.id = gone.project_id and ${isPurged(sql`p`)})`
const ofPurgedSurvey = sql`exists (
  select from ${surveys} s where s.team_id = gone.team_id and s.project_id = gone.project_id and s.id = gone.survey_id and ${isPurged(sql`s`)})`

type None = Record<never, never>

// The index for searches holds traces of their words: a worker builds those parts again.
const forget = [sources.submissions, sources.responses].map(({ records, list }) =>
  statement<None, never>(sql`
  with stale as materialized (
    select distinct g.team_id, g.project_id, g.list_id, g.oldest_id
      from ${records}
     cross join lateral (
             select *
               from ${search_segments} g
              where g.team_id = s.team_id and g.project_id = s.project_id and g.list_id = ${list} and g.oldest_id <= s.id
              order by g.oldest_id desc
              limit 1
           ) g
     where ${isPurged(sql`s`)} and s.id <= g.newest_id
  ),
  lists as (
    update ${search_lists} l
       set due_at = now(), version = l.version + 1
      from stale f
     where l.team_id = f.team_id and l.project_id = f.project_id and l.list_id = f.list_id
  )
  update ${search_segments} g
     set is_stale = true
    from stale f
   where g.team_id = f.team_id and g.project_id = f.project_id and g.list_id = f.list_id and g.oldest_id = f.oldest_id`),
)

// Records that can be many come first, in batches: deleting a project or team then cascades to few rows. Events, finished
// deliveries, attempts and audit entries are dropped with their partitions.
const purges: Record<string, BatchedDelete> = {
  submissions: batchedDelete(sql`${submissions}`, isPurged(sql`gone`)),
  submissions_of_projects: batchedDelete(sql`${submissions}`, ofPurgedProject),
  submissions_of_teams: batchedDelete(sql`${submissions}`, ofPurgedTeam),
  videos: batchedDelete(sql`${videos}`, isPurged(sql`gone`)),
  // What a visitor wrote and never sent.
  expired_videos: batchedDelete(
    sql`${videos}`,
    sql`gone.state = 'expired' and gone.submission_id is null
    and gone.upload_until < now() - ${sql.raw(`interval '${durations.expiredVideoDays} days'`)}`,
  ),
  videos_of_projects: batchedDelete(sql`${videos}`, ofPurgedProject),
  videos_of_teams: batchedDelete(sql`${videos}`, ofPurgedTeam),
  survey_responses: batchedDelete(sql`${survey_responses}`, isPurged(sql`gone`)),
  responses_of_surveys: batchedDelete(sql`${survey_responses}`, ofPurgedSurvey),
  responses_of_projects: batchedDelete(sql`${survey_responses}`, ofPurgedProject),
  responses_of_teams: batchedDelete(sql`${survey_responses}`, ofPurgedTeam),
  answer_totals_of_surveys: batchedDelete(sql`${answer_totals}`, ofPurgedSurvey),
  answer_totals_of_projects: batchedDelete(sql`${answer_totals}`, ofPurgedProject),
  answer_totals_of_teams: batchedDelete(sql`${answer_totals}`, ofPurgedTeam),
  search_lists_of_surveys: batchedDelete(
    sql`${search_lists}`,
    sql`exists (
  select from ${surveys} s where s.team_id = gone.team_id and s.project_id = gone.project_id and s.id = gone.list_id and ${isPurged(sql`s`)})`,
  ),
  surveys: batchedDelete(
    sql`${surveys}`,
    sql`${isPurged(sql`gone`)} and not exists (
  select from ${survey_responses} r where r.team_id = gone.team_id and r.project_id = gone.project_id and r.survey_id = gone.id)`,
  ),
  widgets: batchedDelete(sql`${widgets}`, isPurged(sql`gone`)),
  webhook_deliveries_of_teams: batchedDelete(sql`${webhook_deliveries}`, ofPurgedTeam),
  feed_ends_of_teams: batchedDelete(sql`${feed_ends}`, ofPurgedTeam),
  submission_feed_ends_of_projects: batchedDelete(sql`${submission_feed_ends}`, ofPurgedProject),
  submission_feed_ends_of_teams: batchedDelete(sql`${submission_feed_ends}`, ofPurgedTeam),
  attempt_hours_of_endpoints: batchedDelete(
    sql`${webhook_attempt_hours}`,
    sql`exists (select from ${webhook_endpoints} e where e.team_id = gone.team_id and e.id = gone.endpoint_id and ${isPurged(sql`e`)})`,
  ),
  attempt_hours_of_teams: batchedDelete(sql`${webhook_attempt_hours}`, ofPurgedTeam),
  webhook_endpoints: batchedDelete(sql`${webhook_endpoints}`, isPurged(sql`gone`)),
  projects: batchedDelete(
    sql`${projects}`,
    sql`${isPurged(sql`gone`)} and not exists (select from ${submissions} s where s.team_id = gone.team_id and s.project_id = gone.id)
    and not exists (select from ${survey_responses} r where r.team_id = gone.team_id and r.project_id = gone.id)
    and not exists (select from ${videos} v where v.team_id = gone.team_id and v.project_id = gone.id)`,
  ),
  teams: batchedDelete(
    sql`${teams}`,
    sql`${isPurged(sql`gone`)} and not exists (select from ${submissions} s where s.team_id = gone.id)
    and not exists (select from ${survey_responses} r where r.team_id = gone.id)
    and not exists (select from ${videos} v where v.team_id = gone.id)`,
  ),
  credentials: batchedDelete(sql`${credentials}`, sql`gone.revoked_at < now() - interval '30 days'`),
  // An expired token stays in its owner's list; an expired session or login is of no use to anybody.
  ended_credentials: batchedDelete(sql`${credentials}`, sql`gone.kind <> 'pat' and gone.expires_at < now() - interval '30 days'`),
}

/** Removes records for good that were deleted more than a day ago, and what nobody can use any more; returns the number of rows by kind. */
export async function purgeDeleted(tx: Tx): Promise<Record<string, number>> {
  for (const run of forget) await run(tx, {})
  return deleteAll(tx, purges)
}
