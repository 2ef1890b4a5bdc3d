import { ApiError, sizes } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import type { Found } from '../sql/bounded-list.ts'
import { LOWEST_ID, type PageBounds } from '../sql/pages.ts'
import { onlyOne } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { search_lists, search_segments } from '../tables/search.ts'
import { slicesOfWords, wordsOf } from './grams.ts'
import { type ListRef, sourceOf, sources } from './lists.ts'
import { withinSearchLimits } from './search-limits.ts'
import { positionsIn } from './segments.ts'

/** The most records that a search walks: their texts are folded one by one. */
const WALKED_RECORDS = 750
/** The most records that a search looks up because their bits match. */
const MAX_CANDIDATES = 1_000
/** How many it looks up at once: the first are often a page. */
const CANDIDATES_AT_ONCE = [64, 256]
/** How many segments it reads at once, and no more than these. */
const SEGMENTS_AT_ONCE = [2, 8, 64]
/** Characters with a meaning in LIKE; a search is for the text itself. */
const PATTERN_CHARACTERS = /[\\%_]/g

/** What the statements of a search take beside the values of their list. */
export interface SearchValues extends PageBounds {
  /** How many records to walk. */
  walked: number
  /** Of LIKE, for folded texts. */
  patterns: string[]
  /** Segments by the oldest id, and positions in them. */
  segments: string[]
  positions: number[]
}

/** Of the last candidate it is told whether or not it matches: `stops`. */
export type Picked<Row> = Row & { candidate_id: string; matches: boolean }

/** How the records of a list are found by their texts. */
export interface Searched<Row> {
  list: ListRef
  /** As the caller wrote it: words, or parts of words. A record has all of them. */
  text: string
  bounds: PageBounds
  /** Whether another filter has an index of its own, which is walked first: what it leaves may be few. */
  isNarrowed: boolean
  /** Walks `walked` records and keeps those that match. */
  walk: (tx: Tx, values: SearchValues) => Promise<Found<Row>>
  /** Keeps the candidates that match, in their order; see `candidates`. */
  pick: (tx: Tx, values: SearchValues) => Promise<Picked<Row>[]>
}

interface Prepared {
  folded: string
  indexed_id: string | null
  /** How many records are not indexed, at most as many as are walked. */
  new_records: number
}

const prepareIn = ({ records, list }: { records: SQL; list: SQL }) =>
  statement<ListRef & { text: string }, Prepared>(
    (p) => sql`
  select search_fold(${p.text}::text) as folded, l.indexed_id, n.new_records
    from (select) one
    left join ${search_lists} l on l.team_id = ${p.team_id} and l.project_id = ${p.project_id} and l.list_id = ${p.list_id}
   cross join lateral (
           select count(*)::int as new_records
             from (
                    select
                      from ${records}
                     where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and ${list} = ${p.list_id}
                       and s.id > coalesce(l.indexed_id, ${sql.raw(`'${LOWEST_ID}'`)})
                     limit ${sql.raw(String(WALKED_RECORDS))}
                  ) s
         ) n`,
  )

const prepare = { submissions: prepareIn(sources.submissions), responses: prepareIn(sources.responses) }

interface SegmentSlices {
  oldest_id: string
  newest_id: string
  record_count: number
  first: number
  slices: Buffer
}

// The place of a cursor in its segment is found by halves: the ids are read where they are, 16 bytes each.
const readSegments = statement<ListRef & { before: string; take: number; wanted: number[] }, SegmentSlices>(
  (p) => sql`
  select g.oldest_id, g.newest_id, g.record_count, f.first, b.slices
    from (
           select *
             from ${search_segments}
            where team_id = ${p.team_id} and project_id = ${p.project_id} and list_id = ${p.list_id} and oldest_id < ${p.before}
            order by oldest_id desc
            limit ${p.take}
         ) g
   cross join lateral (
           with recursive halves (low, high) as (
             select 0, case when g.newest_id < ${p.before} then 0 else g.record_count end
              union all
             select case when m.is_newer then m.middle + 1 else h.low end, case when m.is_newer then h.high else m.middle end
               from halves h
              cross join lateral (
                      select (h.low + h.high) / 2 as middle,
                             substring(g.ids from (h.low + h.high) / 2 * 16 + 1 for 16) >= uuid_send(${p.before}) as is_newer
                    ) m
              where h.low < h.high
           )
           select max(low) as first
             from halves
         ) f
   cross join lateral (
           select string_agg(substring(g.bits from w.slice * ((g.record_count + 7) / 8) + 1 for (g.record_count + 7) / 8), '') as slices
             from unnest(${p.wanted}::int[]) w (slice)
         ) b
   order by g.oldest_id desc`,
)

/** The records that a search proposes, as `c`: a place in its order and an id. */
export const candidates = (p: Parameters<Omit<ListRef, 'list_id'> & SearchValues>, listId: SQL): SQL => sql`
      from (
             select c.place, c.place = cardinality(${p.positions}::int[]) as is_last,
                    encode(substring(g.ids from c.position * 16 + 1 for 16), 'hex')::uuid as id
               from unnest(${p.segments}::uuid[], ${p.positions}::int[]) with ordinality c (oldest_id, position, place)
              cross join lateral (
                      select ids
                        from ${search_segments}
                       where team_id = ${p.team_id} and project_id = ${p.project_id} and list_id = ${listId} and oldest_id = c.oldest_id
                       limit 1
                    ) g
           ) c`

interface Candidate {
  segment: string
  position: number
}

/**
 * Finds the newest records of a list with some words. New records are walked; for the others, an index proposes records, whose
 * own texts then decide. Reads a bounded number of records: it may find less than a page, and stop before the end.
 * Throws `validation_error`, and what `withinSearchLimits` throws.
 */
export function search<Row extends { id: string }>(tx: Tx, searched: Searched<Row>): Promise<Found<Row>> {
  const { list, text, bounds, isNarrowed, walk } = searched
  return withinSearchLimits(tx, list.team_id, async (tx) => {
    const { folded, indexed_id, new_records } = onlyOne(await prepare[sourceOf(list)](tx, { ...list, text }))
    const words = [...new Set(wordsOf(folded))]
    checkWords(words)
    const slices = slicesOfWords(words)
    const indexedId = slices.length > 0 ? indexed_id : null
    const walked = recordsToWalk(searched, { indexedId, new_records })
    const values = { ...bounds, walked, patterns: words.map(patternOf), segments: [], positions: [] }
    const first = walked > 0 ? await walk(tx, values) : { rows: [], stoppedAt: bounds.before }
    const { rows, stoppedAt } = first
    if (stoppedAt === null || rows.length >= bounds.take || indexedId === null) return first
    const isAllNewWalked = !isNarrowed && walked < WALKED_RECORDS
    if (stoppedAt > indexedId && !isAllNewWalked) return first
    const rest = { ...values, before: stoppedAt, take: bounds.take - rows.length }
    const found = await searchSegments(tx, searched, { values: rest, slices })
    return { ...found, rows: [...rows, ...found.rows] }
  })
}

/** Without another filter only what is not indexed. */
function recordsToWalk<Row>(
  { bounds, isNarrowed }: Searched<Row>,
  { indexedId, new_records }: { indexedId: string | null; new_records: number },
): number {
  if (isNarrowed || indexedId === null) return WALKED_RECORDS
  return bounds.before <= indexedId ? 0 : new_records
}

function checkWords({ length }: string[]): void {
  if (length > 0 && length <= sizes.searchWords) return
  const [code, detail] =
    length === 0 ? ['too_small', 'must contain a word'] : ['too_big', `must have at most ${sizes.searchWords} different words`]
  throw new ApiError('validation_error', { errors: [{ field: 'search', code, detail }] })
}

async function searchSegments<Row extends { id: string }>(
  tx: Tx,
  { list, bounds, pick }: Searched<Row>,
  { values, slices }: { values: SearchValues; slices: number[] },
): Promise<Found<Row>> {
  const rows: Row[] = []
  let examined = 0
  let stoppedAt = values.before
  for (const take of SEGMENTS_AT_ONCE) {
    const segments = await readSegments(tx, { ...list, before: stoppedAt, take, wanted: slices })
    const inTime = segments.filter(({ newest_id }) => newest_id >= bounds.after)
    for (const some of batches(inTime.flatMap(candidatesIn), examined)) {
      const picked = await pick(tx, { ...values, take: values.take - rows.length, ...some })
      rows.push(...picked.filter(({ matches }) => matches))
      examined += some.positions.length
      const last = picked.at(-1)
      if (rows.length >= values.take || examined >= MAX_CANDIDATES) return { rows, stoppedAt: last?.candidate_id ?? null }
    }
    const end = segments.at(-1)
    if (!end || segments.length < take || inTime.length < segments.length) return { rows, stoppedAt: null }
    stoppedAt = end.oldest_id
  }
  return { rows, stoppedAt }
}

function candidatesIn({ oldest_id, record_count, first, slices }: SegmentSlices): Candidate[] {
  return positionsIn(slices, { record_count, first }).map((position) => ({ segment: oldest_id, position }))
}

/** Returns the next candidates, some at a time, up to the most that a search examines. */
function* batches(found: Candidate[], examined: number): Generator<Pick<SearchValues, 'segments' | 'positions'>> {
  const allowed = found.slice(0, MAX_CANDIDATES - examined)
  const [first = 0, others = 0] = CANDIDATES_AT_ONCE
  for (let start = 0; start < allowed.length; ) {
    const some = allowed.slice(start, start + (examined + start === 0 ? first : others))
    yield { segments: some.map(({ segment }) => segment), positions: some.map(({ position }) => position) }
    start += some.length
  }
}

function patternOf(word: string): string {
  return `%${word.replace(PATTERN_CHARACTERS, '\\$&')}%`
}
