import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Sql } from 'postgres'

interface SubmitRequest {
  Params: { public_key: string }
  Body: { body: string; rating: number; author: { name: string; email: string }; consent: { granted: boolean } }
}

const WINDOW_SECONDS = 60

/** Registers public submission twice: with all rows that the service writes, and with the submission's row alone. */
export async function registerSubmit(app: FastifyInstance, sql: Sql): Promise<void> {
  // One row for each team and quota, as one would write it by hand. Two baselines may start at once.
  await sql`create table if not exists baseline_quota_usage (
    team_id uuid, quota text, period date, used int not null, primary key (team_id, quota, period)
  ) with (fillfactor = 50)`
  // A service written by hand would look a key up where it lies.
  await sql`create unique index if not exists baseline_public_keys on public_keys (key)`
  app.post<SubmitRequest>('/all-rows/:public_key/', async (request, reply) => {
    const token = `rvk_${randomBytes(32).toString('base64url')}`
    const [row] = await insertAllRows(sql, request.params.public_key, request.ip, { ...request.body, token })
    return reply.code(201).send({ id: row?.id, state: 'pending', created_at: row?.created_at, revoke_token: token })
  })

  app.post<SubmitRequest>('/one-insert/:public_key/', async (request, reply) => {
    const { body, rating, author, consent } = request.body
    const token = `rvk_${randomBytes(32).toString('base64url')}`
    const [row] = await sql`
      insert into submissions (team_id, project_id, kind, channel, body, rating, author_name, author_email, consent_granted, consent_granted_at, revoke_token_hash)
      select team_id, project_id, 'text', 'public', ${body}, ${rating}, ${author.name}, ${author.email}, ${consent.granted}, now(), ${sha256(token)}
        from public_keys
       where key = ${request.params.public_key} and revoked_at is null
      returning id, created_at`
    return reply.code(201).send({ id: row?.id, state: 'pending', created_at: row?.created_at, revoke_token: token })
  })
}

/** Inserts in one round trip: rate limit counter, fingerprint, submission, event, delivery and quota counter. */
function insertAllRows(sql: Sql, publicKey: string, ip: string, submitted: SubmitRequest['Body'] & { token: string }) {
  const { body, rating, author, consent, token } = submitted
  return sql`
    with counted as (
      insert into rate_windows as r (subject, window_start, used)
      values (${`baseline:${ip}`}, to_timestamp(floor(extract(epoch from now()) / ${WINDOW_SECONDS}) * ${WINDOW_SECONDS}), 1)
      on conflict (subject) do update set
        used = case when r.window_start >= excluded.window_start then r.used + 1 else 1 end,
        window_start = greatest(r.window_start, excluded.window_start)
      returning used
    ),
    project as (
      select k.team_id, k.project_id, (p.quotas ->> 'submissions')::int as quota
        from public_keys k
        join teams t on t.id = k.team_id and t.deleted_at is null
        join plans p on p.name = t.plan
       where k.key = ${publicKey} and k.revoked_at is null
    ),
    fingerprint as (
      insert into visitor_fingerprints (team_id, project_id, fingerprint, record_id)
      select team_id, project_id, ${sha256(ip + body)}::bytea, uuidv7() from project
      on conflict (team_id, project_id, fingerprint) do update set record_id = excluded.record_id
      returning record_id
    ),
    submission as (
      insert into submissions (team_id, project_id, id, kind, channel, body, rating, author_name, author_email, consent_granted, consent_granted_at, revoke_token_hash)
      select team_id, project_id, record_id, 'text', 'public', ${body}, ${rating}, ${author.name}, ${author.email}, ${consent.granted}, now(), ${sha256(token)}
        from project, fingerprint
      returning *
    ),
    payload as (
      select jsonb_build_object('type', 'submission.created', 'team_id', team_id, 'project_id', project_id, 'data', to_jsonb(submission))::text as text
        from submission
    ),
    event as (
      insert into events (team_id, project_id, type, payload, payload_sha256)
      select team_id, project_id, 'submission.created', text, encode(sha256(convert_to(text, 'UTF8')), 'hex') from submission, payload
      returning team_id, id, type, payload_sha256
    ),
    delivery as (
      insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256)
      select e.team_id, e.id, event.id, event.type, event.payload_sha256
        from event
        join webhook_endpoints e on e.team_id = event.team_id and e.deleted_at is null
    ),
    quota as (
      insert into baseline_quota_usage as q (team_id, quota, period, used)
      select team_id, 'submissions', date_trunc('month', now() at time zone 'UTC')::date, 1 from project
      on conflict (team_id, quota, period) do update set used = q.used + 1 where q.used < (select quota from project)
    )
    select id, created_at from submission`
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
