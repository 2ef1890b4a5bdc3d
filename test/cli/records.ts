/** Recorded responses of the service. */
export const TEAM = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01'
export const PROJECT = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e02'
export const SUBMISSION = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e03'
export const WEBHOOK = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e04'
export const PLACE = { EARSHOT_TEAM: TEAM, EARSHOT_PROJECT: PROJECT }

const times = { created_at: '2026-11-20T09:30:00.000Z', updated_at: '2026-11-20T09:30:00.000Z' }

export function submission(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: SUBMISSION,
    team_id: TEAM,
    project_id: PROJECT,
    kind: 'text',
    state: 'pending',
    channel: 'public',
    title: null,
    body: 'Saved us a week.',
    rating: 5,
    author: { name: 'Ada Lovelace', email: null, title: null, company: null, avatar_url: null, website_url: null },
    consent: { granted: true, text: null, granted_at: '2026-11-20T09:30:00.000Z', revoked_at: null },
    source: { provider: null, url: null, collected_at: null },
    language: null,
    tags: ['onboarding', 'speed'],
    external_id: null,
    metadata: {},
    video_id: null,
    import_id: null,
    moderation: { by: null, at: null, reason: null },
    public: false,
    ...times,
    ...change,
  }
}

export const attempt = {
  id: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e05',
  delivery_id: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06',
  endpoint_id: WEBHOOK,
  number: 1,
  trigger: 'auto',
  started_at: '2026-11-20T09:30:00.000Z',
  duration_ms: 12,
  remote_ip: '127.0.0.1',
  status_code: 200,
  response_headers: { 'content-type': 'text/plain' },
  response_body: 'thank you',
  response_body_truncated: false,
  response_body_bytes: 9,
  error: null,
  ...times,
}

/** A page of a list. */
export function page(results: unknown[], next_cursor: string | null = null) {
  return { json: { results, next_cursor } }
}
