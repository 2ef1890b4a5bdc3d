import { type SQL, sql } from 'drizzle-orm'
import { encodeCursor, type Page, pageOf } from './pages.ts'

/** How many records one request looks at when no index serves its filters. */
const SCAN_ROWS = 2_000

/** A row of a list, and whether it is one of the results or only marks where the scan stopped. */
export type Listed<Row> = Row & { matches: boolean }

/** Where a list walks: `from … where …` over an alias `s`, and the column whose index it walks, newest first. */
interface Walk {
  source: SQL
  id: SQL
  /** Where it ends in time. */
  since: SQL
}

/** Whether a list has a lower bound in time: part of the key of its statement. */
export function spanOf({ created_after }: { created_after?: string | undefined }): 'since' | 'ever' {
  return created_after === undefined ? 'ever' : 'since'
}

/**
 * Bounds a walk by cursor and time. A plan for any values takes two bounds on one column for a narrow span, where every
 * index costs the same, or a sort. So the lower one is no part of the walk: it cuts off the end of what was walked, and
 * from the newest on that is the same.
 */
export function walkOf(source: SQL, id: SQL, span: string | undefined): Walk {
  const since = span === 'since' ? sql`s.walked_id >= ${sql.placeholder('after')}::uuid` : sql`true`
  return { source: sql`${source} and ${id} < ${sql.placeholder('before')}`, id, since }
}

/** Walks one index in order and stops at the page's end. */
export function indexedList({ source, id, since }: Walk): SQL {
  return sql`
    select s.*, true as matches
      from (
        select s.*, ${id} as walked_id
          ${source}
         order by ${id} desc
         limit ${sql.placeholder('take')}
      ) s
     where ${since}`
}

/** Walks an index over a bounded number of records and keeps what matches; the last one walked comes back as a mark. */
export function scannedList({ source, id, since }: Walk, conditions: SQL[]): SQL {
  return sql`
    select *
      from (
        select s.*, coalesce(${sql.join(conditions, sql` and `)}, false) as matches, row_number() over (order by s.walked_id desc) as walked
          from (
            select s.*, ${id} as walked_id
              ${source}
             order by ${id} desc
             limit ${sql.raw(String(SCAN_ROWS))}
          ) s
      ) s
     where (matches or walked = ${sql.raw(String(SCAN_ROWS))})
       and ${since}
     order by walked_id desc
     limit ${sql.placeholder('take')}`
}

/** The page of either list. It may be short, even empty, while its cursor goes on. */
export function listedPage<Row extends { id: string }, Item>(rows: Listed<Row>[], limit: number, present: (row: Row) => Item): Page<Item> {
  const page = pageOf(
    rows.filter((row) => row.matches),
    limit,
    present,
  )
  const end = rows.at(-1)
  return page.next_cursor === null && end && !end.matches ? { ...page, next_cursor: encodeCursor(end.id) } : page
}
