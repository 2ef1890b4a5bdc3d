import { type SQL, sql } from 'drizzle-orm'
import { encodeCursor, type Page, type PageBounds, pageOf } from './pages.ts'
import { parametersOf } from './statement.ts'

/** The most records that one request reads when no index serves its filters. */
const SCAN_ROWS = 2_000

/** Every list of this kind takes the bounds of its page. */
const page = parametersOf<PageBounds>()

/** A row of a list. `matches` is false for a row that only marks where a scan stopped, and absent where no row is scanned in vain. */
export type Listed<Row> = Row & { matches?: boolean }

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

/** Walks an index over a bounded number of records and keeps those that match; the last record read is returned as a mark. `columns` as above. */
export function scannedList({ source, id, since }: Walk, conditions: SQL[], columns: SQL): SQL {
  return sql`
    select ${columns}, s.matches
      from (
        select s.*, coalesce(${sql.join(conditions, sql` and `)}, false) as matches, row_number() over (order by s.walked_id desc) as walked
          from (
            select s.*, ${id} as walked_id
              ${source}
             order by ${id} desc
             limit ${sql.raw(String(SCAN_ROWS))}
          ) s
      ) s
     where (s.matches or s.walked = ${sql.raw(String(SCAN_ROWS))})
       and ${since ?? sql`true`}
     order by s.walked_id desc
     limit ${page.take}`
}

/** Returns the page of either list. It may be short, even empty, while `next_cursor` goes on. */
export function listedPage<Row extends { id: string }, Item>(rows: Listed<Row>[], limit: number, present: (row: Row) => Item): Page<Item> {
  const shown = pageOf(
    rows.filter((row) => row.matches !== false),
    limit,
    present,
  )
  const end = rows.at(-1)
  return shown.next_cursor === null && end?.matches === false ? { ...shown, next_cursor: encodeCursor(end.id) } : shown
}
