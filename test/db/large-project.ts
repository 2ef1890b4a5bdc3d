import type { Database } from '@earshot/db'
import { numberFeeds } from '@earshot/db/dispatch'
import postgres from 'postgres'
import { makeTeam, type Team } from '../support/people.ts'
import type { TestDatabase } from '../support/test-database.ts'

const OTHER_TEAMS = 200
const RECORDS = 20_000
const OTHER_RECORDS = 60_000
const SMALL_RECORDS = 400

export interface LargeProject extends Team {
  webhookId: string
  /** One delivery of the webhook, in the middle. */
  deliveryId: string
  /** A record in the middle of the project, and its time. */
  middle: { id: string; created_at: string }
}

/** Makes a project with 20,000 records of each kind beside 200 other teams, and runs ANALYZE. */
export async function fillLargeProject({ address, database }: TestDatabase): Promise<LargeProject> {
  const team = await makeTeam(database)
  const others = await Promise.all(Array.from({ length: OTHER_TEAMS }, () => makeTeam(database)))
  // Bulk rows: the work of the triggers is done by hand, once.
  const client = postgres({ ...address, max: 1, onnotice: () => {}, connection: { session_replication_role: 'replica' } })
  try {
    await fillSubmissions(client, [team], RECORDS)
    await fillSubmissions(client, others, OTHER_RECORDS)
    const webhookId = await fillWebhooks(client, team)
    for (const other of others.slice(0, 5)) await fillWebhooks(client, other, 800)
    await fillAudit(client, team)
    await fillInvitations(client, team)
    await fillSmall(client, team)
    // Every team has a feed.
    await client`insert into unnumbered_events select id, uuidv7(), 'team.updated' from teams`
    while ((await numberFeeds(database, { max: RECORDS })).events > 0);
    await client`
      insert into submission_feed_waiting (team_id, project_id, submission_id, kind, state, change)
      select team_id, project_id, id, kind, state, 'created' from submissions`
    while ((await numberFeeds(database, { max: RECORDS })).changes > 0);
    await client.unsafe('vacuum analyze')
    return { ...team, webhookId, ...(await readMiddle(database, team, webhookId)) }
  } finally {
    await client.end()
  }
}

/**
 * What is rejected, and what is a testimonial, is the oldest: a walk from the newest that looks for it goes through all. Teams
 * take turns, so the records of one are not stored side by side.
 */
async function fillSubmissions(client: postgres.Sql, teams: Team[], count: number): Promise<void> {
  const ids = teams.map(({ id }) => id)
  await client`
    insert into submissions (team_id, project_id, kind, state, channel, body, rating, author_name, consent_granted, tags, video_id, metadata)
    select t.team_id, t.project_id,
           case when i <= 40 then 'testimonial' when i % 5 = 0 then 'video' else 'text' end,
           case when i <= 40 then 'rejected' when i % 4 = 0 then 'approved' else 'pending' end,
           (array['public', 'public', 'api'])[1 + i % 3],
           'Word ' || i || repeat(' and more', 20), nullif(i % 6, 0), 'Author ' || i, i % 3 > 0,
           case when i % 4000 = 0 then array['rare', 'common'] when i % 2 = 0 then array['common'] else '{}' end,
           case when i % 5 = 3 then uuidv7() end,
           case when i % 2 = 0 then jsonb_build_object('plan', 'team', 'order', 'A-' || i) else '{}' end
      from generate_series(1, ${count}::int) i
      join unnest(${ids}::uuid[], ${teams.map(({ project }) => project.project_id)}::uuid[]) with ordinality t (team_id, project_id, number)
        on t.number = 1 + i % ${teams.length}::int
     order by i`
  await client`
    insert into submission_tags (team_id, project_id, tag, submission_id)
    select team_id, project_id, unnest(tags), id from submissions where team_id = any (${ids}::uuid[])`
  await client`
    insert into submission_metadata (team_id, project_id, key, value, submission_id)
    select s.team_id, s.project_id, m.key, m.value, s.id
      from submissions s
     cross join lateral jsonb_each_text(s.metadata) m
     where s.team_id = any (${ids}::uuid[])`
}

/** Half of it is a day old, so that there is more than one partition to ask. */
async function fillWebhooks(client: postgres.Sql, { id, project }: Team, count = RECORDS): Promise<string> {
  const [endpoint] = await client<[{ id: string }]>`
    insert into webhook_endpoints (team_id, url, events, secret, secret_hint)
    select ${id}, 'https://example.com/' || i, '{*}', 'sealed', 'hint' from generate_series(1, ${Math.min(count, SMALL_RECORDS)}::int) i
    returning id`
  await client`
    with event as (
      insert into events (team_id, id, project_id, type, payload, payload_sha256)
      select ${id}, uuidv7(case when i > ${count / 2} then '0' else '-1 day' end::interval), ${project.project_id},
             case when i % 4000 = 0 then 'team.updated' else 'submission.created' end, '{}', ''
        from generate_series(1, ${count}::int) i
      returning id, type
    ),
    unnumbered as (
      insert into unnumbered_events
      select ${id}, id, type from event
    ),
    delivery as (
      insert into webhook_delivery_history (team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count)
      select ${id}, uuidv7(case when row_number() over () > ${count / 2} then '0' else '-1 day' end::interval), ${endpoint.id}, id, type, '', case when type = 'team.updated' then 'failed' else 'succeeded' end, 'auto', 1 from event
      returning id, state
    )
    insert into webhook_attempts (team_id, id, delivery_id, endpoint_id, number, trigger, worker_id, finished_at, status_code)
    select ${id}, uuidv7(case when row_number() over () > ${count / 2} then '0' else '-1 day' end::interval), id, ${endpoint.id}, 1, 'auto', 1,
           now(), case when state = 'failed' then 500 else 200 end
      from delivery`
  return endpoint.id
}

/** The rarest action is the oldest line. */
async function fillAudit(client: postgres.Sql, { id, ownerId }: Team): Promise<void> {
  await client`
    insert into audit_entries (team_id, id, actor_user_id, credential_kind, action, target_type)
    select ${id}, uuidv7(case when i > ${RECORDS / 2} then '0' else '-1 day' end::interval), ${ownerId}, 'pat',
           case when i = 1 then 'team.renamed' else 'submission.approved' end, 'submission'
      from generate_series(1, ${RECORDS}::int) i`
}

/** The rarest state is the oldest invitation's. */
async function fillInvitations(client: postgres.Sql, { id, ownerId }: Team): Promise<void> {
  await client`
    insert into invitations (team_id, email, role, token_hash, state, invited_by, expires_at)
    select ${id}, 'guest-' || i || '@example.com', 'viewer', sha256(i::text::bytea), case when i = 1 then 'revoked' else 'accepted' end, ${ownerId}, now()
      from generate_series(1, ${RECORDS}::int) i`
}

/** Records that a team has few of, but still more than a page. */
async function fillSmall(client: postgres.Sql, { id, ownerId, project }: Team): Promise<void> {
  const many = client`generate_series(1, ${SMALL_RECORDS}::int) i`
  await client`
    insert into projects (team_id, name, slug, collects_text, collects_video, collects_rating, consent_text, thank_you_text)
    select ${id}, 'Project', 'project-' || i, true, true, true, '', '' from ${many}`
  await client`
    insert into public_keys (team_id, project_id, key) select ${id}, ${project.project_id}, 'pk_' || i from ${many}`
  await client`
    insert into credentials (kind, hash, user_id, scopes) select 'pat', sha256(i::text::bytea), ${ownerId}, '{}' from ${many}`
  await client`
    with made as (
      insert into teams (name, slug, plan, nps_low_score_threshold, cors_origins, locale)
      select 'Team', 'team-' || i, 'business', 7, '{}', 'en' from ${many}
      returning id
    )
    insert into memberships (team_id, user_id, role) select id, ${ownerId}, 'owner' from made`
  await client`
    with made as (
      insert into users (email, name) select 'member-' || i || '@example.com', 'Member' from ${many}
      returning id
    )
    insert into memberships (team_id, user_id, role) select ${id}, id, 'viewer' from made`
}

async function readMiddle(database: Database, { project }: Team, webhookId: string): Promise<Pick<LargeProject, 'middle' | 'deliveryId'>> {
  const [middle] = await database.client<[LargeProject['middle']]>`
    select id, created_at from submissions where team_id = ${project.team_id} order by id offset ${RECORDS / 2} limit 1`
  const [delivery] = await database.client<[{ id: string }]>`
    select id from all_webhook_deliveries where endpoint_id = ${webhookId} order by id offset ${RECORDS / 2} limit 1`
  return { middle, deliveryId: delivery.id }
}
