import { ApiError } from '@earshot/contracts'

/** A position of a page, or nulls for a page without any; and the same facts of the feed on each row. */
export interface FeedRow {
  position: string | null
  /** The last position of the feed; 0 before the first one. */
  last_position: string
  /** The position before this one; null without one. A page of one type has that of the first position after the cursor on each row. */
  previous_position: string | null
}

export interface FeedQuery {
  cursor?: string | undefined
  limit: number
}

/** The statements of a feed. */
interface Feed<Row extends FeedRow> {
  /** Reads up to `limit` rows after a position, at least one. */
  read: (position: string) => Promise<Row[]>
  /** Reads the first position that is kept, of all. */
  readFirst: () => Promise<FeedRow[]>
}

/** A page of a feed. */
export interface FeedPage<Item> {
  results: Item[]
  next_cursor: string
  /** Whether the next page can have rows that were there when this one was read. */
  has_more: boolean
  /** The end of the feed. */
  newest_cursor: string
}

const HIGHEST_POSITION = 2n ** 63n - 1n
const CURSOR = /^f[0-9a-z]{1,13}$/

/**
 * Reads a page of a feed, oldest first; `present` returns null for what is left out. The cursor is the last position read, or the
 * end of the feed; it is never null. Throws `invalid_cursor`, and `cursor_expired` when something after the cursor is no longer
 * kept, or when the feed has never given it out: the database was restored from a backup.
 */
export async function readFeedPage<Row extends FeedRow, Item>(
  { read, readFirst }: Feed<Row>,
  { cursor, limit }: FeedQuery,
  present: (row: Row, cursor: string) => Item | null,
): Promise<FeedPage<Item>> {
  const position = cursor === undefined ? null : decodePosition(cursor)
  const rows = await read(String(position ?? 0n))
  const [{ last_position, previous_position } = { last_position: '0', previous_position: null }] = rows
  // Each position names the one before it. So nothing between the cursor and the next one is missing only if that is the cursor
  // itself; and a position from before a restore is that of nothing.
  if (position !== null && position !== BigInt(previous_position ?? last_position)) throw cursorExpired(last_position, await readFirst())
  // A page that is not full has reached the end.
  const has_more = rows.length === limit
  const end = has_more ? rows.at(-1)?.position : last_position
  return { ...facts(rows, present), next_cursor: encodePosition(BigInt(end ?? last_position)), has_more }
}

/**
 * Reads a page of a feed, newest first, from the cursor back, or from the end of the feed. The cursor is the position before the
 * last one read. What is no longer kept ends the feed, as its beginning does. Throws `invalid_cursor`.
 */
export async function readFeedBack<Row extends FeedRow, Item>(
  read: (upTo: string) => Promise<Row[]>,
  { cursor, limit }: FeedQuery,
  present: (row: Row, cursor: string) => Item | null,
): Promise<FeedPage<Item>> {
  const upTo = cursor === undefined ? HIGHEST_POSITION : decodePosition(cursor)
  const rows = await read(String(upTo))
  // Without a row, nothing up to here is kept: the next page is empty, too.
  const before = BigInt(rows.at(-1)?.previous_position ?? 0)
  return { ...facts(rows, present), next_cursor: encodePosition(before), has_more: rows.length === limit && before > 0n }
}

function facts<Row extends FeedRow, Item>(rows: readonly Row[], present: (row: Row, cursor: string) => Item | null) {
  const results = rows.flatMap((row) => {
    const item = row.position === null ? null : present(row, encodePosition(BigInt(row.position)))
    return item === null ? [] : [item]
  })
  return { results, newest_cursor: encodePosition(BigInt(rows[0]?.last_position ?? 0)) }
}

function cursorExpired(last_position: string, [first]: FeedRow[]): ApiError {
  return new ApiError('cursor_expired', {
    oldest_cursor: encodePosition(BigInt(first?.previous_position ?? last_position)),
    newest_cursor: encodePosition(BigInt(last_position)),
  })
}

/** Returns the later of two cursors of a feed. */
export function laterCursor(one: string, other: string): string {
  return decodePosition(one) < decodePosition(other) ? other : one
}

export function encodePosition(position: bigint): string {
  return `f${position.toString(36)}`
}

function decodePosition(cursor: string): bigint {
  if (!CURSOR.test(cursor)) throw new ApiError('invalid_cursor')
  const position = [...cursor.slice(1)].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
  if (encodePosition(position) !== cursor || position >= 2n ** 63n) throw new ApiError('invalid_cursor')
  return position
}
