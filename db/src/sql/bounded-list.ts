import { type SQL, sql } from 'drizzle-orm'
import { encodeCursor, type Page, type PageBounds, pageOf } from './pages.ts'
import { parametersOf } from './statement.ts'

/** The most records that one request reads when no index serves its filters. */
const SCAN_ROWS = 2_000
/** The same where each record is looked up by itself, which reads several pages a record. */
export const LOOKED_UP_ROWS = sql.raw('1000')

/** Every list of this kind takes the bounds of its page. */
const page = parametersOf<PageBounds>()

/** A row of a list. Of a scan, one that does not match is there only to tell where the scan stopped. */
export type Listed<Row> = Row & { matches?: boolean; stops?: boolean }

/** What a list found, and the id of the last record that it read if it stopped before the end. */
export interface Found<Row> {
  rows: Row[]
  stoppedAt: string | null
}

/** The index that a list walks, newest first: `from … where …` over an alias `s`, and the index's column. */
interface Walk {
  source: SQL
  id: SQL
  /** The lower bound in time, if there is one. */
  since: SQL | null
}

/** Returns whether a list has a lower bound in time, for the key of its statement. */
export function spanOf({ created_after }: { created_after?: string | undefined }): 'since' | 'ever' {
  return created_after === undefined ? 'ever' : 'since'
}

/**
 * Bounds a walk by cursor and time. PostgreSQL's generic plan takes two bounds on one column for a narrow span, in which
 * every index or a sort costs the same. So the lower bound is no part of the walk: it cuts off the end of the rows read,
 * which gives the same page, because they are read from the newest on.
 */
export function walkOf(source: SQL, id: SQL, span: string | undefined): Walk {
  const since = span === 'since' ? sql`s.walked_id >= ${page.after}::uuid` : null
  return { source: sql`${source} and ${id} < ${page.before}`, id, since }
}

/** Walks one index in order and stops at the page's end. `columns` are those to return, of the alias `s`. */
export function indexedList({ source, id, since }: Walk, columns: SQL): SQL {
  if (!since) {
    // One level: each subquery around it would copy every value once more.
    return sql`
    select ${columns}
      ${source}
     order by ${id} desc
     limit ${page.take}`
  }
  return sql`
    select ${columns}
      from (
        select s.*, ${id} as walked_id
          ${source}
         order by ${id} desc
         limit ${page.take}
      ) s
     where ${since}`
}

/** Walks an index over a bounded number of records and keeps those that match, and the last one read. `columns` as above. */
export function scannedList({ source, id, since }: Walk, conditions: SQL[], columns: SQL, max = sql.raw(String(SCAN_ROWS))): SQL {
  return sql`
    select ${columns}, s.matches, s.stops
      from (
        select s.*, coalesce(${sql.join(conditions, sql` and `)}, false) as matches,
               row_number() over (order by s.walked_id desc) = ${max} as stops
          from (
            select s.*, ${id} as walked_id
              ${source}
             order by ${id} desc
             limit ${max}
          ) s
      ) s
     where (s.matches or s.stops)
       and ${since ?? sql`true`}
     order by s.walked_id desc
     limit ${page.take}`
}

/** Returns what the rows of either list tell. */
export function foundIn<Row extends { id: string }>(rows: Listed<Row>[]): Found<Row> {
  const end = rows.at(-1)
  return { rows: rows.filter(({ matches }) => matches !== false), stoppedAt: end?.stops ? end.id : null }
}

/** Returns the page of what was found. It may be short, even empty, while `next_cursor` goes on. */
export function foundPage<Row extends { id: string }, Item>(
  { rows, stoppedAt }: Found<Row>,
  limit: number,
  present: (row: Row) => Item,
): Page<Item> {
  const page = pageOf(rows, limit, present)
  return page.next_cursor === null && stoppedAt !== null ? { ...page, next_cursor: encodeCursor(stoppedAt) } : page
}

/** Returns the page of either list. */
export function listedPage<Row extends { id: string }, Item>(rows: Listed<Row>[], limit: number, present: (row: Row) => Item): Page<Item> {
  return foundPage(foundIn(rows), limit, present)
}
