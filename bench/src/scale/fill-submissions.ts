import type { Fragment, Sql, TransactionSql } from 'postgres'
import { HISTORY_DAYS, type Sizes } from './sizes.ts'

const SMALL_SUBMISSIONS = 200

/**
 * Fills the submissions of the last 30 days in the order of their time: every tenth is the large team's; of the others a
 * team has the more, the lower its number. Triggers are off, so it also writes the tags and counts that they would.
 */
export async function fillSubmissions(client: Sql, { teams, submissions, purged, attempts }: Sizes): Promise<void> {
  const others = teams - 2 - attempts.length
  await client.begin(async (tx) => {
    await tx`set local role earshot_owner`
    // In the transaction that emptied them, the tables are filled without the log of writes.
    await tx`truncate submissions, submission_tags`
    await insertSubmissions(
      tx,
      tx`
      select t.team_id, t.project_id, s.i, s.at
        from (select i, now() - (${submissions}::int - i + 1) * make_interval(days => ${HISTORY_DAYS}::int) / ${submissions}::int as at,
                     case when i % 10 = 0 then 1 else 2 + floor(${others}::int * power(random(), 2))::int end as team
                from generate_series(1, ${submissions}::int) i
              offset 0) s
        join bench.teams t on t.number = s.team`,
    )
    // The small team and those that are purged have a number of their own.
    await insertSubmissions(
      tx,
      tx`
      select t.team_id, t.project_id, i, now() - i * interval '10 seconds' as at
        from bench.teams t
       cross join lateral generate_series(1, case when t.number = ${teams}::int then ${SMALL_SUBMISSIONS}::int else ${purged}::int end) i
       where t.number > ${others + 1}::int`,
    )
    await tx`
      insert into submission_tags (team_id, project_id, tag, submission_id)
      select team_id, project_id, unnest(tags), id from submissions where tags <> '{}'`
    await tx`
      insert into project_counters (team_id, project_id, public_count, rated_count, rating_sum)
      select team_id, project_id, count(*), count(rating), coalesce(sum(rating), 0) from submissions where is_public group by 1, 2`
  })
}

async function insertSubmissions(tx: TransactionSql, rows: Fragment): Promise<void> {
  await tx`
    insert into submissions (team_id, project_id, id, kind, state, channel, body, rating, author_name, author_email, author_company, consent_granted, tags)
    select r.team_id, r.project_id, uuidv7(r.at - clock_timestamp()),
           case when r.i % 11 = 0 then 'video' else 'text' end,
           (array['approved', 'approved', 'approved', 'rejected', 'pending'])[1 + r.i / 10 % 5],
           case when r.i % 3 = 0 then 'api' else 'public' end,
           'Word' || r.i || ' saved us a week, and more than that. We would do it again.', nullif(r.i % 6, 0), 'Author ' || r.i,
           'author' || r.i || '@example.com', 'Analytical Engines', r.i % 4 > 0,
           case when r.i / 10 % 7 = 0 then array['launch'] when r.i / 10 % 1009 = 0 then array['rare'] else '{}' end
      from (${rows}) r`
}
