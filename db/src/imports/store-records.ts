import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
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

/** The columns of a record that a row of a file sets. */
const COLUMNS = [
  'title',
  'body',
  'rating',
  'author_name',
  'author_email',
  'author_title',
  'author_company',
  'author_avatar_url',
  'author_website_url',
  'consent_granted',
  'consent_text',
  'consent_granted_at',
  'consent_revoked_at',
  'source_provider',
  'source_url',
  'source_collected_at',
  'language',
  'tags',
  'external_id',
  'metadata',
  'featured',
  'excerpt',
  'position',
] as const

type Column = (typeof COLUMNS)[number]

/**
 * Lists of equal length, one for each column: the values as PostgreSQL reads them, and null for the column's default. One that
 * is the default in all records has no list.
 */
type Columns = Record<Column, (string | null)[] | null>

/** The defaults that are not null. */
const DEFAULTS: Partial<Record<Column, string>> = { consent_granted: 'false', tags: `'{}'`, metadata: `'{}'`, featured: 'false' }

const names = sql.raw(COLUMNS.join(', '))
const TYPES = getTableColumns(submissions)

/** The values of a row `n` of such lists. Consent that has no time was given at the time of `otherwise`. */
function valuesOf(otherwise: string): SQL {
  const values = COLUMNS.map((name) => {
    const value = `n.${name}::${TYPES[name].getSQLType()}`
    if (name === 'consent_granted_at') return `case when n.consent_granted::boolean then coalesce(${value}, ${otherwise}) end`
    return DEFAULTS[name] === undefined ? value : `coalesce(${value}, ${DEFAULTS[name]})`
  })
  return sql.raw(values.join(', '))
}

const lists = (p: Parameters<Columns>) =>
  sql.join(
    COLUMNS.map((name) => sql`${p[name]}::text[]`),
    sql`, `,
  )

type NewRecords = ProjectRef & Columns & { import_id: string }

// Lists and not one JSON text, which takes half as long again to read and insert.
const insert = (p: Parameters<NewRecords>, returning: SQL) => sql`
    insert into ${submissions} as s (team_id, project_id, id, kind, channel, import_id, day, ${names})
    select t.id, ${p.project_id}::uuid, n.id, 'testimonial', 'import', ${p.import_id}::uuid,
           (uuid_extract_timestamp(n.id) at time zone t.timezone)::date, ${valuesOf('now()')}
      from teams t
     cross join (select uuidv7() as id, n.* from unnest(${lists(p)}) as n (${names})) n
     where t.id = ${p.team_id}
    returning ${returning}`

const create = statement<NewRecords, { count: number }>(
  (p) => sql`
  with created as (${insert(p, sql`s.id`)}
  )
  select count(*)::int as count
    from created`,
)

// The payload is built once for both events. Each event has a delivery to an endpoint every so many milliseconds: live events
// find a place between them.
const createWithEvents = statement<NewRecords & { due_from: string | null; pace_ms: number }, { count: number }>(
  (p) => sql`
  with created as (${insert(p, sql`s as submission`)}
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

const before = sql.raw(COLUMNS.map((name) => `s.${name}`).join(', '))
const after = sql.raw(COLUMNS.map((name) => `v.${name}`).join(', '))

// A record that somebody entered or decided on is not looked at, nor one that is the same already.
const update = statement<ProjectRef & Columns & { ids: string[] }, { id: string }>(
  (p) => sql`
  update ${submissions} s
     set (${names}) = (select ${after}), updated_at = now()
    from unnest(${p.ids}::uuid[], ${lists(p)}) as n (id, ${names})
    join ${submissions} o on o.team_id = ${p.team_id} and o.project_id = ${p.project_id} and o.id = n.id
   cross join lateral (select ${valuesOf('o.consent_granted_at, now()')}) v (${names})
   where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.id = n.id
     and s.channel = 'import' and s.state = 'pending' and s.deleted_at is null
     and (${before}) is distinct from (${after})
  returning s.id`,
)

/** Stores new records with their events, and updates others. Returns how many of the updates changed a record. */
export async function storeRecords(tx: Tx, row: ImportRow, { creates, updates }: Plan): Promise<number> {
  const { team_id, project_id } = row
  if (creates.length > 0) {
    const records = { team_id, project_id, import_id: row.id, ...columnsFrom(creates) }
    const paced = { ...records, due_from: row.paced_until, pace_ms: PACE_MS }
    const { count } = onlyOne(await (row.suppress_events ? create(tx, records) : createWithEvents(tx, paced)))
    if (count !== creates.length) throw new Error(`${count} of ${creates.length} records were created`)
  }
  if (updates.size === 0) return 0
  return (await update(tx, { team_id, project_id, ids: [...updates.keys()], ...columnsFrom([...updates.values()]) })).length
}

function columnsFrom(records: readonly NewSubmission[]): Columns {
  return Object.fromEntries(
    COLUMNS.map((name) => {
      const values = records.map((record) => textOf(record[name]))
      return [name, values.every((value) => value === null) ? null : values]
    }),
  ) as Columns
}

function textOf(value: NewSubmission[keyof NewSubmission]): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return value ? 'true' : null
  if (Object.keys(value).length === 0) return null
  return Array.isArray(value) ? makePgArray(value) : JSON.stringify(value)
}

/** How long the deliveries of so many new records take to come due. */
export function deliveriesTakeMs(records: number): number {
  return records * EVENTS_PER_RECORD * PACE_MS
}
