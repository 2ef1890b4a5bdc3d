import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { LOWEST_ID } from '../sql/pages.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { search_lists, search_segments } from '../tables/search.ts'
import { type ListRef, MIN_AGE_SECONDS, sourceOf, sources } from './lists.ts'
import { buildSegment, type IndexedText, type SegmentContent } from './segments.ts'

/** Records of a new segment. Until there are so many, a search reads them one by one. */
const NEW_RECORDS = 512
/** New segments that are built again as one. */
const MERGED_SEGMENTS = 60
/** Texts read at once: the worker sends webhooks between two of these steps. */
const TEXTS_AT_ONCE = 128
/** How long a worker may be silent before another one takes its list. */
const LEASE_MINUTES = 5

export interface IndexingSizes {
  newRecords: number
  mergedSegments: number
  minAgeSeconds: number
}

const usualSizes: IndexingSizes = { newRecords: NEW_RECORDS, mergedSegments: MERGED_SEGMENTS, minAgeSeconds: MIN_AGE_SECONDS }

type DueList = ListRef & Pick<typeof search_lists.$inferSelect, 'indexed_id' | 'version' | 'due_at'>
type Bounds = Pick<typeof search_segments.$inferSelect, 'oldest_id' | 'newest_id'>
type Segment = Bounds & SegmentContent

const ofList = (p: Parameters<ListRef>) => sql`team_id = ${p.team_id} and project_id = ${p.project_id} and list_id = ${p.list_id}`

const takeDue = statement<Record<never, never>, DueList>(sql`
  update ${search_lists} l
     set due_at = now() + interval '${sql.raw(String(LEASE_MINUTES))} minutes'
    from (
           select team_id, project_id, list_id
             from ${search_lists}
            where due_at <= now()
            order by due_at
            limit 1
              for update skip locked
         ) d
   where l.team_id = d.team_id and l.project_id = d.project_id and l.list_id = d.list_id
  returning l.team_id, l.project_id, l.list_id, l.indexed_id, l.version, l.due_at`)

/** New records have made the list due again if the time is another one. Rounded down, so that what is due now is due at once. */
const settle = statement<DueList & { waitSeconds: number | null }, never>(
  (p) => sql`
  update ${search_lists}
     set due_at = date_trunc('milliseconds', now()) + ${p.waitSeconds}::int * interval '1 second'
   where ${ofList(p)} and due_at = ${p.due_at}::timestamptz`,
)

const advance = statement<DueList, Pick<DueList, 'version'>>(
  (p) => sql`
  update ${search_lists}
     set indexed_id = ${p.indexed_id}, version = version + 1
   where ${ofList(p)} and version = ${p.version}
  returning version`,
)

const insertSegment = statement<ListRef & Segment, never>(
  (p) => sql`
  insert into ${search_segments} (team_id, project_id, list_id, oldest_id, newest_id, record_count, ids, bits)
  values (
    ${p.team_id}, ${p.project_id}, ${p.list_id}, ${p.oldest_id}, ${p.newest_id}, ${p.record_count}, ${p.ids}::bytea, ${p.bits}::bytea
  )`,
)

const findStale = statement<ListRef, Bounds>(
  (p) => sql`
  select oldest_id, newest_id
    from ${search_segments}
   where ${ofList(p)} and is_stale
   order by oldest_id
   limit 1`,
)

/** Only those after the newest large one: they follow each other. */
const findSmall = statement<ListRef & { records: number; segments: number }, Bounds>(
  (p) => sql`
  select oldest_id, newest_id
    from ${search_segments}
   where ${ofList(p)} and oldest_id > coalesce(
           (
             select oldest_id
               from ${search_segments}
              where ${ofList(p)} and record_count > ${p.records}
              order by oldest_id desc
              limit 1
           ),
           ${sql.raw(`'${LOWEST_ID}'`)}
         )
   order by oldest_id
   limit ${p.segments}`,
)

const findPreceding = statement<ListRef & { oldest_id: string }, { newest_id: string }>(
  (p) => sql`
  select newest_id
    from ${search_segments}
   where ${ofList(p)} and oldest_id < ${p.oldest_id}
   order by oldest_id desc
   limit 1`,
)

const deleteSegments = statement<ListRef & { from: string; to: string }, never>(
  (p) => sql`
  delete from ${search_segments}
   where ${ofList(p)} and oldest_id between ${p.from} and ${p.to}`,
)

interface NewId {
  id: string
  is_old_enough: boolean
}

/** Statements that read the records of a list, oldest first. */
function readersOf({ records, list, text }: { records: SQL; list: SQL; text: SQL }) {
  const after = (p: Parameters<ListRef & { after: string }>) =>
    sql`s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and ${list} = ${p.list_id} and s.id > ${p.after}`
  return {
    readNewIds: statement<ListRef & { after: string; take: number; minAgeSeconds: number }, NewId>(
      (p) => sql`
  select s.id, s.id < uuid_at(now() - ${p.minAgeSeconds}::int * interval '1 second') as is_old_enough
    from ${records}
   where ${after(p)}
   order by s.id
   limit ${p.take}`,
    ),
    readIds: statement<ListRef & { after: string; upTo: string }, { id: string }>(
      (p) => sql`
  select s.id
    from ${records}
   where ${after(p)} and s.id <= ${p.upTo}
   order by s.id`,
    ),
    /** Of a deleted record nothing is indexed. */
    readTexts: statement<ListRef & { after: string; upTo: string }, IndexedText>(
      (p) => sql`
  select s.id, search_fold(${text}) as text
    from ${records}
   where ${after(p)} and s.id <= ${p.upTo} and s.deleted_at is null`,
    ),
  }
}

const readers = { submissions: readersOf(sources.submissions), responses: readersOf(sources.responses) }

/**
 * Works on one list that is due: indexes its new records, and builds again what is small or stale, which also catches records
 * that were committed late. Returns whether there was such a list. Of two workers with the same list, one does nothing.
 */
export async function indexSearch(tx: Tx, sizes: IndexingSizes = usualSizes): Promise<boolean> {
  const [list] = await takeDue(tx, {})
  if (!list) return false
  const waitSeconds = await addSegments(tx, list, sizes)
  const isRebuilt = await rebuildNext(tx, list, sizes)
  await settle(tx, { ...list, waitSeconds: isRebuilt ? 0 : waitSeconds })
  return true
}

/** Returns how long to wait for the records of the next segment: null while there are too few. */
async function addSegments(tx: Tx, list: DueList, { newRecords, mergedSegments, minAgeSeconds }: IndexingSizes): Promise<number | null> {
  for (let added = 0; added < mergedSegments; added += 1) {
    const after = list.indexed_id ?? LOWEST_ID
    const found = await readers[sourceOf(list)].readNewIds(tx, { ...list, after, take: newRecords, minAgeSeconds })
    if (found.length < newRecords) return null
    if (!found.every(({ is_old_enough }) => is_old_enough)) return minAgeSeconds
    const segment = await readSegment(tx, list, after, found)
    if (!(await replaceSegments(tx, list, { removed: [], added: segment }))) return null
    list.indexed_id = segment.newest_id
  }
  return 0
}

/** Returns false if another worker has changed the list. */
function replaceSegments(tx: Tx, list: DueList, { removed, added }: { removed: Bounds[]; added: Segment | null }): Promise<boolean> {
  return transaction(tx, async (tx) => {
    const [first, last] = [removed.at(0), removed.at(-1)]
    const indexed_id = removed.length === 0 && added ? added.newest_id : list.indexed_id
    const [advanced] = await advance(tx, { ...list, indexed_id })
    if (!advanced) return false
    if (first && last) await deleteSegments(tx, { ...list, from: first.oldest_id, to: last.oldest_id })
    if (added) await insertSegment(tx, { ...list, ...added })
    list.version = advanced.version
    return true
  })
}

/** Returns whether it built anything. */
async function rebuildNext(tx: Tx, list: DueList, { newRecords, mergedSegments }: IndexingSizes): Promise<boolean> {
  const stale = await findStale(tx, list)
  if (stale.length > 0) return rebuild(tx, list, stale)
  const small = await findSmall(tx, { ...list, records: newRecords, segments: mergedSegments })
  return small.length === mergedSegments && rebuild(tx, list, small)
}

/** Builds segments that follow each other again as one. Returns false if another worker has changed the list. */
async function rebuild(tx: Tx, list: DueList, removed: Bounds[]): Promise<boolean> {
  const [first, last] = [removed.at(0), removed.at(-1)]
  if (!first || !last) return false
  const [preceding] = await findPreceding(tx, { ...list, oldest_id: first.oldest_id })
  const after = preceding?.newest_id ?? LOWEST_ID
  const ids = await readers[sourceOf(list)].readIds(tx, { ...list, after, upTo: last.newest_id })
  return replaceSegments(tx, list, { removed, added: ids.length > 0 ? await readSegment(tx, list, after, ids) : null })
}

/** Reads the texts of records, oldest first, that follow one another after an id, into a segment. */
async function readSegment(tx: Tx, list: ListRef, after: string, records: { id: string }[]): Promise<Segment> {
  const ids = records.map(({ id }) => id)
  const segment = buildSegment(ids)
  let from = after
  for (let start = 0; start < ids.length; start += TEXTS_AT_ONCE) {
    const upTo = ids.slice(start, start + TEXTS_AT_ONCE).at(-1) as string
    for (const text of await readers[sourceOf(list)].readTexts(tx, { ...list, after: from, upTo })) segment.add(text)
    from = upTo
  }
  return { oldest_id: ids[0] as string, newest_id: from, ...segment.content }
}
