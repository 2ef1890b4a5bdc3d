import type { Channel, SubmissionKind, SubmissionState } from '@earshot/contracts'
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { indexedList, type Listed, listedPage, scannedList, spanOf, walkOf } from '../sql/bounded-list.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds } from '../sql/pages.ts'
import { type Parameters, statementsByKey } from '../sql/statement.ts'
import { type SubmissionRow, submission_tags, submissions } from '../tables/submissions.ts'
import { withinSearchLimits } from './search-limits.ts'

/** Filters with an index of their own, the narrowest first. A list walks the index of the first one given. */
const DRIVERS = ['external_id', 'tag', 'state', 'kind'] as const

const FILTERS = ['channel', 'external_id', 'featured', 'has_video', 'kind', 'min_rating', 'search', 'state', 'tag'] as const

/** Characters with a meaning in LIKE; a search is for the text itself. */
const PATTERN_CHARACTERS = /[\\%_]/g

export interface SubmissionFilters {
  external_id?: string | undefined
  tag?: string | undefined
  state?: SubmissionState | undefined
  kind?: SubmissionKind | undefined
  channel?: Channel | undefined
  min_rating?: number | undefined
  has_video?: boolean | undefined
  featured?: boolean | undefined
  search?: string | undefined
}

/** A submission as lists return it: without the columns that no reader sees. */
export type ListedSubmission = Omit<SubmissionRow, 'day' | 'deleted_at' | 'revoke_token_hash'>

interface Reach {
  /** Only public submissions. */
  publicOnly?: boolean
  /** Whether the search includes e-mail addresses. */
  searchEmail?: boolean
}

const WORDS = sql`s.title, s.body, s.author_name, s.author_company`

interface ProjectRef {
  team_id: string
  project_id: string
}

/** The values of a list. A statement takes those that its filters name. */
type Values = ProjectRef & SubmissionFilters & PageBounds
type Condition = (p: Parameters<Values>) => SQL

const conditions: Record<string, Condition> = {
  // The index is of submissions that are there.
  external_id: (p) => sql`s.external_id = ${p.external_id} and s.deleted_at is null`,
  tag: (p) => sql`s.tags @> array[${p.tag}::text]`,
  state: (p) => sql`s.state = ${p.state}`,
  kind: (p) => sql`s.kind = ${p.kind}`,
  channel: (p) => sql`s.channel = ${p.channel}`,
  min_rating: (p) => sql`s.rating >= ${p.min_rating}::int`,
  featured: (p) => sql`s.featured = ${p.featured}::boolean`,
  has_video: (p) => sql`(s.video_id is not null) = ${p.has_video}::boolean`,
  search: (p) => sql`concat_ws(' ', ${WORDS}) ilike ${p.search}`,
  searchEmail: (p) => sql`concat_ws(' ', ${WORDS}, s.author_email) ilike ${p.search}`,
}

// `limit 1` keeps the planner from reading all submissions for a join: each tag looks up its own record.
const tagged: Condition = (p) => sql`
      from ${submission_tags} t
     cross join lateral (
       select s.*
         from ${submissions} s
        where s.team_id = t.team_id and s.project_id = t.project_id and s.id = t.submission_id
        limit 1
     ) s
     where t.team_id = ${p.team_id} and t.project_id = ${p.project_id} and t.tag = ${p.tag}`

const inProject: Condition = (p) => sql`
      from ${submissions} s
     where s.team_id = ${p.team_id} and s.project_id = ${p.project_id}`

// A page is many values: a column that nobody reads costs PostgreSQL and the driver as much as any other.
const UNLISTED = ['day', 'deleted_at', 'revoke_token_hash']
const listed = sql.join(
  Object.keys(getTableColumns(submissions))
    .filter((name) => !UNLISTED.includes(name))
    .map((name) => sql`s.${sql.raw(name)}`),
  sql`, `,
)

const list = statementsByKey<Values, Listed<ListedSubmission>>((key, p) => {
  const [reach, span, ...filters] = key.split(',')
  const visible = reach === 'public' ? sql`s.is_public` : sql`s.deleted_at is null`
  // Public items have an index of their own, except by tag: a tag is walked, however rare it is.
  const driver = DRIVERS.find((name) => filters.includes(name) && (name === 'tag' || reach !== 'public'))
  const others = filters.flatMap((name) => (name === driver ? [] : (conditions[name]?.(p) ?? [])))
  if (driver === 'tag') return scannedList(walkOf(tagged(p), sql`t.submission_id`, span), [visible, ...others], listed)
  const driven = driver && conditions[driver] ? [conditions[driver](p)] : []
  const walk = (narrowed: SQL[]) => walkOf(sql.join([inProject(p), ...narrowed], sql` and `), sql`s.id`, span)
  if (others.length === 0) return indexedList(walk([visible, ...driven]), listed)
  // The index of public items holds no others. A walk of another index reads deleted records too, and they count as read.
  if (reach === 'public') return scannedList(walk([visible, ...driven]), others, listed)
  return scannedList(walk(driven), [visible, ...others], listed)
})

/**
 * Returns a page of a project's submissions, newest first. Filters without an index of their own look at a bounded number of
 * records: such a page may be short or empty although `next_cursor` is not null.
 */
export async function listSubmissions<Item>(
  tx: Tx,
  { team_id, project_id, limit, cursor, created_after, created_before, ...filters }: PageQuery & SubmissionFilters & ProjectRef,
  reach: Reach,
  present: (row: ListedSubmission) => Item,
): Promise<Page<Item>> {
  const read = list(keyOf(filters, reach, spanOf({ created_after })))
  const values = { ...filters, ...pageBounds({ limit, cursor, created_after, created_before }), team_id, project_id }
  const { search } = filters
  const rows =
    search === undefined
      ? await read(tx, values)
      : await withinSearchLimits(tx, team_id, (tx) => read(tx, { ...values, search: patternOf(search) }))
  return listedPage(rows, limit, present)
}

function patternOf(text: string): string {
  return `%${text.replace(PATTERN_CHARACTERS, '\\$&')}%`
}

function keyOf(filters: SubmissionFilters, { publicOnly, searchEmail }: Reach, span: string): string {
  const given = FILTERS.filter((name) => filters[name] !== undefined)
  return [publicOnly ? 'public' : 'all', span, ...given.map((name) => (name === 'search' && searchEmail ? 'searchEmail' : name))].join(',')
}
