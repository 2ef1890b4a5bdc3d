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
}

/** Whether a list has a lower bound in time: part of the key of its statement. */
export function spanOf({ created_after }: { created_after?: string | undefined }): 'since' | 'ever' {
  return created_after === undefined ? 'ever' : 'since'
}

/**
 * Bounds a walk by cursor and time. A plan for any values takes two plain bounds on one column for a narrow span, where
 * every index costs the same; so the lower one stands only where it is asked for, and as `any`, which counts on its own.
 */
export function walkOf(source: SQL, id: SQL, span: string | undefined): Walk {
  const since = span === 'since' ? sql`and ${id} >= any (array[${sql.placeholder('after')}::uuid])` : sql``
  return { source: sql`${source} and ${id} < ${sql.placeholder('before')} ${since}`, id }
}

/** Walks one index in order and stops at the page's end. */
export function indexedList({ source, id }: Walk): SQL {
  return sql`
    select s.*, true as matches
      ${source}
     order by ${id} desc
     limit ${sql.placeholder('take')}`
}

/** Walks an index over a bounded number of records and keeps what matches; the last one walked comes back as a mark. */
export function scannedList({ source, id }: Walk, conditions: SQL[]): SQL {
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
     where matches or walked = ${sql.raw(String(SCAN_ROWS))}
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
