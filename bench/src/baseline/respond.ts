import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Sql } from 'postgres'

interface RespondRequest {
  Params: { survey_id: string }
  Body: { answers: { question_id: string; value: unknown }[] }
}

interface Asked {
  team_id: string
  project_id: string
  version: number
  questions: { id: string; type: string }[]
}

const WINDOW_SECONDS = 60

/** Registers public responses with all rows that the service writes. They are believed, not checked. */
export async function registerRespond(app: FastifyInstance, sql: Sql): Promise<void> {
  // A service written by hand would look a survey up where it lies.
  await sql`create unique index if not exists baseline_surveys on surveys (id)`
  app.post<RespondRequest>('/responses/:survey_id/', async (request, reply) => {
    const [asked] = await sql<Asked[]>`
      select s.team_id, s.project_id, s.version, v.questions
        from surveys s
        join survey_versions v on v.team_id = s.team_id and v.project_id = s.project_id and v.survey_id = s.id and v.version = s.version
       where s.id = ${request.params.survey_id} and s.status = 'active' and s.deleted_at is null`
    if (!asked) return reply.code(404).send()
    const types = new Map(asked.questions.map(({ id, type }) => [id, type]))
    const answers = request.body.answers.map(({ question_id, value }) => ({ question_id, type: types.get(question_id), value }))
    const [row] = await insertAllRows(sql, { ...asked, survey_id: request.params.survey_id, answers, ip: request.ip })
    return reply.code(201).send({ id: row?.id, created_at: row?.created_at })
  })
}

interface Given extends Asked {
  survey_id: string
  answers: { question_id: string; type: string | undefined; value: unknown }[]
  ip: string
}

/** Inserts in one round trip: rate limit counter, fingerprint, response, its change of the figures, event, delivery and quota counter. */
function insertAllRows(sql: Sql, { team_id, project_id, survey_id, version, answers, ip }: Given) {
  const ids = answers.map(({ question_id }) => question_id)
  const buckets = answers.map(({ type, value }) => (type === 'short_text' || type === 'long_text' ? '' : String(value)))
  const numbers = answers.map(({ type, value }) => (type === 'number' ? String(value) : null))
  const score = answers.find(({ type }) => type === 'nps')?.value ?? null
  const text = JSON.stringify(answers)
  return sql`
    with counted as (
      insert into rate_windows as r (subject, window_start, used)
      values (${`baseline:${ip}`}, to_timestamp(floor(extract(epoch from now()) / ${WINDOW_SECONDS}) * ${WINDOW_SECONDS}), 1)
      on conflict (subject) do update set
        used = case when r.window_start >= excluded.window_start then r.used + 1 else 1 end,
        window_start = greatest(r.window_start, excluded.window_start)
      returning used
    ),
    fingerprint as (
      insert into visitor_fingerprints (team_id, project_id, fingerprint, record_id)
      values (${team_id}, ${project_id}, ${createHash('sha256')
        .update(ip + text)
        .digest()}::bytea, uuidv7())
      on conflict (team_id, project_id, fingerprint) do update set record_id = excluded.record_id
      returning record_id
    ),
    response as (
      insert into survey_responses (team_id, project_id, survey_id, id, survey_version, answers, nps_score, channel, day)
      select ${team_id}::uuid, ${project_id}::uuid, ${survey_id}::uuid, record_id, ${version}::int, ${text}::text::jsonb, ${score as number | null}::int, 'public',
             (now() at time zone 'UTC')::date
        from fingerprint
      returning *
    ),
    change as (
      insert into response_changes (team_id, project_id, survey_id, amount, day, survey_version, language, nps_score, question_ids, buckets, numbers)
      select team_id, project_id, survey_id, 1, day, survey_version, '', nps_score, ${ids}::uuid[], ${buckets}::text[], ${numbers}::text[]::numeric[]
        from response
    ),
    payload as (
      select jsonb_build_object('type', 'survey.response.created', 'team_id', team_id, 'project_id', project_id, 'data', to_jsonb(response))::text as text
        from response
    ),
    event as (
      insert into events (team_id, project_id, type, payload, payload_sha256)
      select team_id, project_id, 'survey.response.created', text, encode(sha256(convert_to(text, 'UTF8')), 'hex') from response, payload
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
      values (${team_id}, 'responses', date_trunc('month', now() at time zone 'UTC')::date, 1)
      on conflict (team_id, quota, period) do update set used = q.used + 1
    )
    select id, created_at from response`
}
