import type { Channel, SubmissionKind, SubmissionState } from '@earshot/contracts'
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { AUTHOR_IMAGE } from '../images/shown.ts'
import { submissionText } from '../search/lists.ts'
import { candidates, type Picked, type SearchValues, search } from '../search/search.ts'
import {
  foundIn,
  foundPage,
  indexedList,
  type Listed,
  LOOKED_UP_ROWS,
  listedPage,
  scannedList,
  spanOf,
  walkOf,
} from '../sql/bounded-list.ts'
import { type Page, type PageQuery, pageBounds } from '../sql/pages.ts'
import { type Parameters, statementsByKey } from '../sql/statement.ts'
import { type SubmissionRow, submission_metadata, submission_tags, submissions } from '../tables/submissions.ts'
import { PUBLIC_VIDEO, type PublicVideoRow } from '../videos/public.ts'

/** Filters with an index of their own, the narrowest first. A list walks the index of the first one given. */
const DRIVERS = ['external_id', 'import_id', 'metadata', 'tag', 'state', 'kind'] as const

const FILTERS = [
  'channel',
  'external_id',
  'featured',
  'has_video',
  'import_id',
  'kind',
  'metadata',
  'min_rating',
  'search',
  'state',
  'tag',
] as const

export interface SubmissionFilters {
  external_id?: string | undefined
  import_id?: string | undefined
  tag?: string | undefined
  state?: SubmissionState | undefined
  kind?: SubmissionKind | undefined
  channel?: Channel | undefined
  min_rating?: number | undefined
  has_video?: boolean | undefined
  featured?: boolean | undefined
  /** Values at keys of the metadata. */
  metadata?: Record<string, string> | undefined
  search?: string | undefined
}

/**
 * A submission as lists return it: without the columns that no reader sees. Public items have the facts of their video, and the version
 * of their author's picture.
 */
export type ListedSubmission = Omit<SubmissionRow, 'day' | 'deleted_at' | 'revoke_token_hash' | 'video_is_ready'> & {
  video?: PublicVideoRow | null
  author_image?: string | null
}

interface Reach {
  /** Only public submissions. */
  publicOnly?: boolean
  /** Whether the search includes e-mail addresses. */
  searchEmail?: boolean
}

interface ProjectRef {
  team_id: string
  project_id: string
}

/** The values of a list. A statement takes those that its filters name. */
type Values = ProjectRef &
  Omit<SubmissionFilters, 'metadata'> &
  SearchValues & {
    /** As JSON, and its first entry, whose index is walked. */
    metadata: string | null
    key: string | null
    value: string | null
  }
type Condition = (p: Parameters<Values>) => SQL

const conditions: Record<string, Condition> = {
  // The index is of submissions that are there.
  external_id: (p) => sql`s.external_id = ${p.external_id} and s.deleted_at is null`,
  import_id: (p) => sql`s.import_id = ${p.import_id}`,
  metadata: (p) => sql`not exists (
             select
               from jsonb_each_text(${p.metadata}::jsonb) f
              where s.metadata->>f.key is distinct from f.value
           )`,
  tag: (p) => sql`s.tags @> array[${p.tag}::text]`,
  state: (p) => sql`s.state = ${p.state}`,
  kind: (p) => sql`s.kind = ${p.kind}`,
  channel: (p) => sql`s.channel = ${p.channel}`,
  min_rating: (p) => sql`s.rating >= ${p.min_rating}::int`,
  featured: (p) => sql`s.featured = ${p.featured}::boolean`,
  has_video: (p) => sql`(s.video_id is not null) = ${p.has_video}::boolean`,
  search: (p) => sql`search_fold(${submissionText({ withEmail: false })}) like all (${p.patterns}::text[])`,
  searchEmail: (p) => sql`search_fold(${submissionText({ withEmail: true })}) like all (${p.patterns}::text[])`,
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

const withMetadata: Condition = (p) => sql`
      from ${submission_metadata} m
     cross join lateral (
       select s.*
         from ${submissions} s
        where s.team_id = m.team_id and s.project_id = m.project_id and s.id = m.submission_id
        limit 1
     ) s
     where m.team_id = ${p.team_id} and m.project_id = ${p.project_id} and m.key = ${p.key} and m.value = ${p.value}`

const inProject: Condition = (p) => sql`
      from ${submissions} s
     where s.team_id = ${p.team_id} and s.project_id = ${p.project_id}`

// A page is many values: a column that nobody reads costs PostgreSQL and the driver as much as any other.
const UNLISTED = ['day', 'deleted_at', 'revoke_token_hash', 'video_is_ready']
const listed = sql.join(
  Object.keys(getTableColumns(submissions))
    .filter((name) => !UNLISTED.includes(name))
    .map((name) => sql`s.${sql.raw(name)}`),
  sql`, `,
)

const listedPublic = sql`${listed}, ${PUBLIC_VIDEO}, ${AUTHOR_IMAGE}`

const isThere = sql`s.deleted_at is null`

const list = statementsByKey<Values, Listed<ListedSubmission>>((key, p) => {
  const [reach, span, ...filters] = key.split(',')
  const visible = reach === 'public' ? sql`s.is_public` : isThere
  const shown = reach === 'public' ? listedPublic : listed
  // Public items have an index of their own, except by tag: a tag is walked, however rare it is.
  const driver = DRIVERS.find((name) => filters.includes(name) && (name === 'tag' || reach !== 'public'))
  const max = filters.some((name) => name.startsWith('search')) ? sql`${p.walked}::int` : undefined
  const others = filters.flatMap((name) => (name === driver ? [] : (conditions[name]?.(p) ?? [])))
  if (driver === 'metadata') {
    const all = conditions.metadata?.(p) ?? []
    return scannedList(walkOf(withMetadata(p), sql`m.submission_id`, span), [visible, all, ...others].flat(), shown, max ?? LOOKED_UP_ROWS)
  }
  if (driver === 'tag')
    return scannedList(walkOf(tagged(p), sql`t.submission_id`, span), [visible, ...others], shown, max ?? LOOKED_UP_ROWS)
  const driven = driver && conditions[driver] ? [conditions[driver](p)] : []
  const walk = (narrowed: SQL[]) => walkOf(sql.join([inProject(p), ...narrowed], sql` and `), sql`s.id`, span)
  if (others.length === 0) return indexedList(walk([visible, ...driven]), shown)
  // The index of public items holds no others. A walk of another index reads deleted records too, and they count as read.
  if (reach === 'public') return scannedList(walk([visible, ...driven]), others, shown)
  return scannedList(walk(driven), [visible, ...others], shown, max)
})

/** The candidates of a search that match, and the last one. */
const pick = statementsByKey<Values, Picked<ListedSubmission>>((key, p) => {
  const [, , ...filters] = key.split(',')
  const all = [isThere, sql`s.id >= ${p.after}`, ...filters.flatMap((name) => conditions[name]?.(p) ?? [])]
  return sql`
    select ${listed}, c.id as candidate_id, s.id is not null as matches${candidates(p, sql`${p.project_id}`)}
      left join lateral (
             select s.*
               from ${submissions} s
              where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.id = c.id
              limit 1
           ) s on ${sql.join(all, sql` and `)}
     where s.id is not null or c.is_last
     order by c.place
     limit ${p.take}`
})

/**
 * Returns a page of a project's submissions, newest first. Filters without an index of their own look at a bounded number of
 * records: such a page may be short or empty although `next_cursor` is not null.
 */
export async function listSubmissions<Item>(
  tx: Tx,
  { team_id, project_id, limit, cursor, created_after, created_before, ...given }: PageQuery & SubmissionFilters & ProjectRef,
  reach: Reach,
  present: (row: ListedSubmission) => Item,
): Promise<Page<Item>> {
  const { metadata = {} } = given
  const [entry] = Object.entries(metadata)
  const filters = { ...given, metadata: entry && metadata }
  const statementKey = keyOf(filters, reach, spanOf({ created_after }))
  const bounds = pageBounds({ limit, cursor, created_after, created_before })
  const named = { metadata: JSON.stringify(metadata), key: entry?.[0] ?? null, value: entry?.[1] ?? null }
  const values = { ...filters, ...named, ...bounds, walked: 0, patterns: [], segments: [], positions: [], team_id, project_id }
  if (filters.search === undefined) return listedPage(await list(statementKey)(tx, values), limit, present)
  const found = await search(tx, {
    list: { team_id, project_id, list_id: project_id },
    ...{ text: filters.search, bounds, isNarrowed: DRIVERS.some((name) => filters[name] !== undefined) },
    walk: async (tx, searched) => foundIn(await list(statementKey)(tx, { ...values, ...searched })),
    pick: (tx, searched) => pick(statementKey)(tx, { ...values, ...searched }),
  })
  return foundPage(found, limit, present)
}

function keyOf(filters: SubmissionFilters, { publicOnly, searchEmail }: Reach, span: string): string {
  const given = FILTERS.filter((name) => filters[name] !== undefined)
  return [publicOnly ? 'public' : 'all', span, ...given.map((name) => (name === 'search' && searchEmail ? 'searchEmail' : name))].join(',')
}
