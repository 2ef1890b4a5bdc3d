import { ApiError } from '@earshot/contracts'

export const LOWEST_ID = '00000000-0000-0000-0000-000000000000'
export const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const LATEST_MS = 253_402_300_799_999
const CURSOR = /^[A-Za-z0-9_-]{22}$/

/** Query fields of a list. */
export interface PageQuery {
  cursor?: string | undefined
  limit: number
  created_after?: string | undefined
  created_before?: string | undefined
}

/** The bounds of a keyset page over ids, newest first: after ≤ id < before. */
export interface PageBounds {
  before: string
  after: string
  /** One more than the page, to see whether there is a next page. */
  take: number
}

export interface Page<Item> {
  results: Item[]
  next_cursor: string | null
}

/** Turns cursor and time filters into bounds on ids, so that one SQL text serves every page of a list. */
export function pageBounds({ cursor, limit, created_after, created_before }: PageQuery): PageBounds {
  const beforeCursor = cursor === undefined ? HIGHEST_ID : decodeCursor(cursor)
  const beforeTime = created_before === undefined ? HIGHEST_ID : lowestIdAt(created_before)
  return {
    before: lower(beforeCursor, beforeTime),
    after: created_after === undefined ? LOWEST_ID : lowestIdAt(created_after),
    take: limit + 1,
  }
}

/** Cuts off the row beyond the page, and turns the last id into the cursor of the next page. */
export function pageOf<Row extends { id: string }, Item>(rows: Row[], limit: number, present: (row: Row) => Item): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { results: shown.map(present), next_cursor: last ? encodeCursor(last.id) : null }
}

/** Returns a cursor: the id before which the next page begins. */
export function encodeCursor(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

/** Throws `invalid_cursor` for anything that `encodeCursor` does not make. */
function decodeCursor(cursor: string): string {
  const hex = Buffer.from(cursor, 'base64url').toString('hex')
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  if (!CURSOR.test(cursor) || encodeCursor(id) !== cursor) throw new ApiError('invalid_cursor')
  return id
}

/** Returns a cursor of a list in the order of a text: the text after which the next page begins. */
export function encodeTextCursor(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url')
}

/** Returns the text of a cursor, '' without one. Throws `invalid_cursor` for anything that `encodeTextCursor` does not make. */
export function decodeTextCursor(cursor: string | undefined): string {
  if (cursor === undefined) return ''
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  if (text === '' || text.includes('\0') || encodeTextCursor(text) !== cursor) throw new ApiError('invalid_cursor')
  return text
}

/** Returns the lower of two ids; in lower case they sort as text. */
function lower(a: string, b: string): string {
  return a < b ? a : b
}

/** Returns the lowest UUIDv7 of an instant, as uuid_at() does in the database; instants out of range are clamped. */
function lowestIdAt(instant: string): string {
  const ms = Math.min(LATEST_MS, Math.max(0, Math.floor(Date.parse(instant))))
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
