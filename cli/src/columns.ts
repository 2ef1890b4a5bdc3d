import type { Colour } from './paint.ts'
import type { SchemaNode } from './schema-node.ts'

/** A field of a list's records that a table can show. */
export interface Column {
  path: readonly string[]
  node: SchemaNode
  /** Columns of lower rank are shown first. */
  rank: number
  /** The path by default. */
  head?: string
  /** The path used when there is no value at `path`. */
  orElse?: readonly string[]
  /** Whether an instant is shown as its distance from now. */
  isAge?: boolean
  colourOf?: (text: string) => Colour | undefined
}

/** Fields by importance, most important first. All others follow, ids of other records last. */
const BY_IMPORTANCE = [
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

/** The number of ranks that are shown before all others. */
export const CORE_RANKS = 6

/** Fields that are not shown: the ids that the command named, and `updated_at`. */
const HIDDEN = ['team_id', 'project_id', 'updated_at']

/** Nested fields that represent their object: `author.name`, `error.code`. */
const REPRESENTATIVE = ['name', 'code']

/** Returns the columns of a record, in the order of its schema. */
export function columnsOf(item: SchemaNode): Column[] {
  const columns = item.properties().flatMap(([key, node]): Omit<Column, 'rank'>[] => {
    if (node.kind !== 'object') return [{ path: [key], node }]
    return node.properties().flatMap(([name, child]) => (REPRESENTATIVE.includes(name) ? [{ path: [key, name], node: child }] : []))
  })
  return columns.filter(isShowable).map((column, index) => ({ ...column, rank: rankOf(column, index) }))
}

function isShowable({ path, node }: Omit<Column, 'rank'>): boolean {
  if (HIDDEN.includes(path.join('.')) || node.kind === 'json') return false
  return node.kind !== 'array' || node.items().kind === 'string'
}

function rankOf({ path, node }: Omit<Column, 'rank'>, index: number): number {
  const rank = BY_IMPORTANCE.findIndex((pattern) => pattern.test(path.join('.')))
  if (rank >= 0) return rank
  return BY_IMPORTANCE.length + index + (node.format === 'uuid' ? 1000 : 0)
}
