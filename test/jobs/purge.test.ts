import { purgeDeleted } from '@earshot/db/maintenance'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

let fixture: WebhookFixture
beforeAll(async () => {
  fixture = await openWebhookFixture()
})
afterAll(() => fixture.close())

test('the purge removes records deleted more than a day ago, with their dependents', async () => {
  const { client } = fixture.database
  const project = async (name: string, deletedAgo: string | null) => {
    const [row] = await client<{ id: string }[]>`
      insert into projects (team_id, name, slug, collects_text, collects_video, collects_rating, consent_text, thank_you_text, deleted_at)
      values (${fixture.teamId}, ${name}, ${name}, true, true, true, '', '', now() - ${deletedAgo}::interval) returning id`
    await client`
      insert into submissions (team_id, project_id, kind, channel, body, author_name, tags, deleted_at)
      select ${fixture.teamId}, ${row?.id ?? ''}, 'text', 'api', name, 'Ada', array['a', 'b'], now() - ago::interval
        from (values ('kept', null), ('fresh', '23 hours'), ('gone', '25 hours')) s (name, ago)`
    await client`
      with added as (
        insert into videos (team_id, project_id, channel, file_name, content_type, max_bytes, token_hash, upload_until, clip_key, poster_key, deleted_at)
        select ${fixture.teamId}, ${row?.id ?? ''}, 'api', v.name, 'video/webm', 100, (v.name || ${name})::bytea, now(),
               ${name} || v.name || 'clip', ${name} || v.name || 'poster', now() - v.ago::interval
          from (values ('kept', null), ('fresh', '23 hours'), ('gone', '25 hours')) v (name, ago)
        returning *
      ),
      parts as (
        insert into video_parts (team_id, project_id, video_id, first_byte, size_bytes, key)
        select team_id, project_id, id, 0, 100, ${name} || file_name || 'part' from added
      )
      insert into video_captions (team_id, project_id, video_id, language, label, vtt) select team_id, project_id, id, 'en', '', '' from added`
    await client`
      insert into surveys (team_id, project_id, name, deleted_at)
      select ${fixture.teamId}, ${row?.id ?? ''}, name, now() - ago::interval from (values ('kept', null), ('gone', '25 hours')) s (name, ago)`
    await client`
      insert into widgets (team_id, project_id, name, layout, item_order, max_items, filter_tags, filter_kinds, theme_mode, deleted_at)
      select ${fixture.teamId}, ${row?.id ?? ''}, name, 'wall', 'newest', 20, '{}', '{}', 'auto', now() - ago::interval
        from (values ('kept', null), ('gone', '25 hours')) s (name, ago)`
    await client`insert into public_keys (team_id, project_id, key) values (${fixture.teamId}, ${row?.id ?? ''}, ${`pk_${name}`})`
  }
  await project('living', null)
  await project('freshly-deleted', '23 hours')
  await project('deleted', '25 hours')
  const [living] = await client<{ id: string }[]>`select id from projects where name = 'living'`
  await client`
    insert into videos (team_id, project_id, channel, file_name, content_type, max_bytes, token_hash, state, upload_until, submission_id)
    select ${fixture.teamId}, ${living?.id ?? ''}, 'public', name, 'video/webm', 100, name::bytea, 'expired', now() - days * interval '1 day', submission::uuid
      from (values ('recent', 29, null), ('past', 31, null), ('submitted', 31, ${living?.id ?? ''})) v (name, days, submission)`
  await client`insert into survey_versions select team_id, project_id, id, 1, 'en', '[]', '{}' from surveys`
  await client`
    insert into survey_responses (team_id, project_id, survey_id, survey_version, answers, channel, day, deleted_at)
    select team_id, project_id, id, 1, '[]', 'api', current_date, now() - ago::interval from surveys, (values (null), ('25 hours')) r (ago)`
  await client`
    insert into answer_totals (team_id, project_id, survey_id, period, start, survey_version, language, question_id, bucket, count, sum)
    select team_id, project_id, id, 'day', current_date, 1, '', id, '', 1, 0 from surveys`
  await client`insert into search_lists (team_id, project_id, list_id) select team_id, project_id, id from surveys`
  await client`insert into submission_feed_ends (team_id, project_id, position) select team_id, id, 1 from projects`
  await fixture.addEndpoint('http://127.0.0.1:9/')
  await client`update webhook_endpoints set deleted_at = now() - interval '25 hours'`
  await fixture.addEndpoint('http://127.0.0.1:9/')
  await client`
    insert into webhook_attempt_hours (
           team_id, endpoint_id, hour, succeeded, retried, bad_responses, timeouts, connection_errors, interrupted, latency_counts)
    select team_id, id, now(), 1, 0, 0, 0, 0, 0, '{1}' from webhook_endpoints`
  await client`
    insert into credentials (kind, hash, user_id, scopes, revoked_at)
    select 'pat', days::text::bytea, id, '{}', now() - days * interval '1 day' from users, unnest(array[29, 31]) days`
  await client`
    insert into credentials (kind, hash, user_id, scopes, expires_at)
    select kind, (kind || days)::bytea, id, '{}', now() - days * interval '1 day'
      from users, unnest(array[29, 31]) days, unnest(array['pat', 'session']) kind`

  expect(await purgeDeleted(fixture.database)).toEqual({
    submissions: 3,
    submissions_of_projects: 2,
    submissions_of_teams: 0,
    videos: 3,
    expired_videos: 1,
    videos_of_projects: 2,
    videos_of_teams: 0,
    survey_responses: 6,
    responses_of_surveys: 3,
    responses_of_projects: 1,
    responses_of_teams: 0,
    answer_totals_of_surveys: 3,
    answer_totals_of_projects: 1,
    answer_totals_of_teams: 0,
    search_lists_of_surveys: 3,
    surveys: 3,
    widgets: 3,
    webhook_deliveries_of_teams: 0,
    feed_ends_of_teams: 0,
    submission_feed_ends_of_projects: 1,
    submission_feed_ends_of_teams: 0,
    attempt_hours_of_endpoints: 1,
    attempt_hours_of_teams: 0,
    webhook_endpoints: 1,
    projects: 1,
    teams: 0,
    credentials: 1,
    ended_credentials: 1,
  })
  const left = await client`
    select (select count(*)::int from submission_tags) as tags, (select count(*)::int from public_keys) as keys, count(*)::int as versions
      from survey_versions`
  expect(left).toEqual([{ tags: 8, keys: 2, versions: 2 }])
  // Of each video a clip, a poster and a part.
  expect(await client`select count(*)::int as count from unused_blobs where delete_at <= now()`).toEqual([{ count: 15 }])
  await client`update teams set deleted_at = now() - interval '25 hours'`
  expect(await purgeDeleted(fixture.database)).toMatchObject({
    ...{
      submissions_of_teams: 4,
      videos_of_teams: 6,
      responses_of_teams: 2,
      answer_totals_of_teams: 2,
      attempt_hours_of_teams: 1,
      projects: 0,
      teams: 1,
    },
  })
  expect(
    await client`select from projects union all select from memberships union all select from submissions union all select from survey_responses`,
  ).toHaveLength(0)
  expect(await client`select from videos union all select from video_parts union all select from video_captions`).toHaveLength(0)
  expect(await client`select count(*)::int as count from unused_blobs where delete_at <= now()`).toEqual([{ count: 27 }])
})
