import type { FastifyInstance } from 'fastify'
import type { Row, Sql } from 'postgres'
import { createFindCaller } from './caller.ts'

interface ListRequest {
  Params: { team_id: string; project_id: string }
  Querystring: { limit?: string }
}

/** Registers the list: look up the credential, read the page, build the response. */
export function registerList(app: FastifyInstance, sql: Sql): void {
  const findCaller = createFindCaller(sql)
  app.get<ListRequest>('/api/v1/teams/:team_id/projects/:project_id/submissions/', async (request, reply) => {
    const { team_id, project_id } = request.params
    const limit = Number(request.query.limit ?? 25)
    const caller = await findCaller(request.headers, team_id)
    if (!caller) return reply.code(401).send()
    const rows = await sql`
      select *
        from submissions
       where team_id = ${team_id} and project_id = ${project_id} and deleted_at is null
       order by id desc
       limit ${limit + 1}`
    const shown = rows.slice(0, limit)
    reply.type('application/json; charset=utf-8')
    return JSON.stringify({ results: shown.map(present), next_cursor: rows.length > limit ? cursorOf(shown.at(-1)?.id) : null })
  })
}

function cursorOf(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

function present(row: Row) {
  return {
    id: row.id,
    team_id: row.team_id,
    project_id: row.project_id,
    kind: row.kind,
    state: row.state,
    channel: row.channel,
    title: row.title,
    body: row.body,
    rating: row.rating,
    author: {
      name: row.author_name,
      email: row.author_email,
      title: row.author_title,
      company: row.author_company,
      avatar_url: row.author_avatar_url,
      website_url: row.author_website_url,
    },
    consent: {
      granted: row.consent_granted,
      text: row.consent_text,
      granted_at: row.consent_granted_at,
      revoked_at: row.consent_revoked_at,
    },
    source: { provider: row.source_provider, url: row.source_url, collected_at: row.source_collected_at },
    language: row.language,
    tags: row.tags,
    external_id: row.external_id,
    metadata: row.metadata,
    video_id: row.video_id,
    import_id: row.import_id,
    moderation: { by: row.moderated_by, at: row.moderated_at, reason: row.moderation_reason },
    public: row.is_public,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
