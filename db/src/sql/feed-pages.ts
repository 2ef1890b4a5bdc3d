import { ApiError } from '@earshot/contracts'

/** A position of a page, or nulls for a page without any; and the same facts of the feed on each row. */
export interface FeedRow {
  position: string | null
  /** The last position of the feed; 0 before the first one. */
  last_position: string
  /** The position before the first one after the cursor; null at the end of the feed. Of the first row. */
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
): Promise<{ results: Item[]; next_cursor: string }> {
  const position = cursor === undefined ? null : decodePosition(cursor)
  const rows = await read(String(position ?? 0n))
  const [{ last_position, previous_position } = { last_position: '0', previous_position: null }] = rows
  // Each position names the one before it. So nothing between the cursor and the next one is missing only if that is the cursor
  // itself; and a position from before a restore is that of nothing.
  if (position !== null && position !== BigInt(previous_position ?? last_position)) throw cursorExpired(last_position, await readFirst())
  const results = rows.flatMap((row) => {
    const item = row.position === null ? null : present(row, encodePosition(BigInt(row.position)))
    return item === null ? [] : [item]
  })
  // A page that is not full has reached the end.
  const end = rows.length < limit ? last_position : rows.at(-1)?.position
  return { results, next_cursor: encodePosition(BigInt(end ?? last_position)) }
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
