import type { Colour } from './paint.ts'
import type { SchemaNode } from './schema-node.ts'

/** A field of a list's records that a table can show. */
export interface Column {
  path: readonly string[]
  node: SchemaNode
  /** Lower is worthier. */
  rank: number
  /** The path unless said. */
  head?: string
  /** Where to look when there is nothing at the path. */
  orElse?: readonly string[]
  /** Shows how long ago an instant is, or how far away. */
  isAge?: boolean
  colourOf?: (text: string) => Colour | undefined
}

/** What people look for in a list, worthiest first. What no line names comes after, ids of other records last. */
const WORTH = [
  /^id$/,
  /^(state|outcome|status_code)$/,
  /^(.*\.)?name$/,
  /^(url|key|type|event_type)$/,
  /(^|_)body$/,
  /\.code$/,
  /^(rating|role|plan|hint|number|attempt_count)$/,
  /^(created|started)_at$/,
  /^(label|kind|channel|trigger|slug)$/,
]

/** The ranks of what a list is about; the others are more about it. */
export const CORE_RANKS = 6

/** Where the list was asked for, and what says little. */
const UNTOLD = ['team_id', 'project_id', 'updated_at']

/** Nested fields that stand for their object: `author.name`, `error.code`. */
const SPEAKING = ['name', 'code']

/** The columns of a record, in the order of its schema. */
export function columnsOf(item: SchemaNode): Column[] {
  const columns = item.properties().flatMap(([key, node]): Omit<Column, 'rank'>[] => {
    if (node.kind !== 'object') return [{ path: [key], node }]
    return node.properties().flatMap(([name, child]) => (SPEAKING.includes(name) ? [{ path: [key, name], node: child }] : []))
  })
  return columns.filter(isShowable).map((column, index) => ({ ...column, rank: rankOf(column, index) }))
}

function isShowable({ path, node }: Omit<Column, 'rank'>): boolean {
  if (UNTOLD.includes(path.join('.')) || node.kind === 'json') return false
  return node.kind !== 'array' || node.items().kind === 'string'
}

function rankOf({ path, node }: Omit<Column, 'rank'>, index: number): number {
  const worth = WORTH.findIndex((pattern) => pattern.test(path.join('.')))
  if (worth >= 0) return worth
  return WORTH.length + index + (node.format === 'uuid' ? 1000 : 0)
}
