import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import type { ProjectRef } from '../projects.ts'
import { onlyOne } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import type { NewSubmission } from '../submissions/create.ts'
import type { ImportRow } from '../tables/imports.ts'
import { submissions } from '../tables/submissions.ts'
import type { Plan } from './plan.ts'

/** The time between two deliveries of an import to an endpoint, so that others need not wait for all of them. */
const PACE_MS = 20
/** Of `submission.created` and `testimonial.created`. */
const EVENTS_PER_RECORD = 2

const created = (p: Parameters<ProjectRef & { all: string }>) => sql`
    select c as submission
      from (
             select array_agg(${p.team_id}::uuid) as teams, array_agg(${p.project_id}::uuid) as projects, array_agg(uuidv7()) as ids,
                    array_agg(f.fields) as fields, array_agg(null::bytea) as hashes
               from jsonb_array_elements(${p.all}::jsonb) f (fields)
           ) n
     cross join lateral create_submissions(n.teams, n.projects, n.ids, n.fields, n.hashes, false) c`

const create = statement<ProjectRef & { all: string }, { count: number }>(
  (p) => sql`
  select count(*)::int as count
    from (${created(p)}
         ) c`,
)

// The payload is built once for both events. Each event has a delivery to an endpoint every so many milliseconds: live events
// find a place between them.
const createWithEvents = statement<ProjectRef & { all: string; due_from: string | null; pace_ms: number }, { count: number }>(
  (p) => sql`
  with created as materialized (${created(p)}
  ),
  payloads as materialized (
    select c.submission, submission_payload(c.submission) as payload
      from created c
  ),
  facts as materialized (
    select array_agg((s.submission).team_id) as teams, array_agg((s.submission).project_id) as projects,
           array_agg(json_build_object('submission', s.payload)) as submissions,
           array_agg(json_build_object('testimonial', testimonial_payload_from(s.submission, s.payload))) as testimonials,
           greatest(now(), ${p.due_from}::timestamptz) as due_from, count(*)::int as count
      from payloads s
  )
  select f.count,
         emit_events('submission.created', f.teams, f.projects, f.submissions, f.due_from, ${p.pace_ms}::int),
         emit_events('testimonial.created', f.teams, f.projects, f.testimonials,
                     f.due_from + f.count * ${p.pace_ms}::int * interval '1 millisecond', ${p.pace_ms}::int)
    from facts f`,
)

/** The columns that an upsert changes. */
const CHANGED = [
  ...[
    'title',
    'body',
    'rating',
    'author_name',
    'author_email',
    'author_title',
    'author_company',
    'author_avatar_url',
    'author_website_url',
  ],
  ...[
    'consent_granted',
    'consent_text',
    'consent_granted_at',
    'consent_revoked_at',
    'source_provider',
    'source_url',
    'source_collected_at',
  ],
  ...['language', 'tags', 'external_id', 'metadata', 'featured', 'excerpt', 'position'],
]
const changed = sql.raw(CHANGED.join(', '))
const before = sql.raw(CHANGED.map((name) => `s.${name}`).join(', '))
const GRANTED_AT = 'case when n.consent_granted then coalesce(n.consent_granted_at, s.consent_granted_at, now()) end'
const after = sql.raw(CHANGED.map((name) => (name === 'consent_granted_at' ? GRANTED_AT : `n.${name}`)).join(', '))

// A record that somebody entered or decided on is not looked at, nor one that is the same already.
const update = statement<ProjectRef & { changes: string }, { id: string }>(
  (p) => sql`
  update ${submissions} s
     set (${changed}) = (select ${after}), updated_at = now()
    from jsonb_to_recordset(${p.changes}::jsonb) as c (id uuid, fields jsonb)
    join ${submissions} o on o.team_id = ${p.team_id} and o.project_id = ${p.project_id} and o.id = c.id
   cross join lateral jsonb_populate_record(o, c.fields) n
   where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.id = c.id
     and s.channel = 'import' and s.state = 'pending' and s.deleted_at is null
     and (${before}) is distinct from (${after})
  returning s.id`,
)

/** Stores new records with their events, and updates others. Returns how many of the updates changed a record. */
export async function storeRecords(tx: Tx, row: ImportRow, { creates, updates }: Plan): Promise<number> {
  const { team_id, project_id } = row
  if (creates.length > 0) {
    const all = creates.map((fields) => ({ ...stored(withoutDefaults(fields)), import_id: row.id }))
    const values = { team_id, project_id, all: JSON.stringify(all) }
    const paced = { ...values, due_from: row.paced_until, pace_ms: PACE_MS }
    const { count } = onlyOne(await (row.suppress_events ? create(tx, values) : createWithEvents(tx, paced)))
    if (count !== creates.length) throw new Error(`${count} of ${creates.length} records were created`)
  }
  if (updates.size === 0) return 0
  const changes = [...updates].map(([id, fields]) => ({ id, fields: stored(fields) }))
  return (await update(tx, { team_id, project_id, changes: JSON.stringify(changes) })).length
}

/** Leaves out what a record has by default, which is most of most rows: there is less JSON to write and to read. */
function withoutDefaults(fields: NewSubmission): Partial<NewSubmission> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isDefault(value)))
}

function isDefault(value: unknown): boolean {
  return value === null || value === false || (typeof value === 'object' && Object.keys(value).length === 0)
}

function stored<Fields extends { tags?: string[] }>(fields: Fields): Fields {
  return { ...fields, ...(fields.tags && { tags: [...new Set(fields.tags)] }) }
}

/** How long the deliveries of so many new records take to come due. */
export function deliveriesTakeMs(records: number): number {
  return records * EVENTS_PER_RECORD * PACE_MS
}
