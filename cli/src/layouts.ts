import type { Column } from './columns.ts'
import type { Colour } from './paint.ts'
import { nodeAt, type SchemaNode } from './schema-node.ts'

type LayoutColumn = Pick<Column, 'rank' | 'head' | 'orElse' | 'isAge' | 'colourOf'> & { field: string }

const STATES: Record<string, Colour> = { succeeded: 'green', pending: 'yellow', sending: 'yellow', failed: 'red', skipped: 'dim' }
const IMPORT_STATES: Record<string, Colour> = { completed: 'green', running: 'yellow', failed: 'red', undone: 'dim' }
const VIDEO_STATES: Record<string, Colour> = { ready: 'green', uploaded: 'yellow', transcoding: 'yellow', failed: 'red', expired: 'dim' }
const STATUSES: Record<string, Colour> = { active: 'green', draft: 'yellow', closed: 'dim' }

/** Columns of the lists whose records have more than a table shows, in order; ranks as in `Column`. */
const LAYOUTS: Record<string, readonly LayoutColumn[]> = {
  'surveys.list': [
    { field: 'id', rank: 0 },
    { field: 'name', rank: 2 },
    { field: 'status', rank: 1, colourOf: (text) => STATUSES[text] },
    { field: 'version', rank: 4 },
    { field: 'response_count', rank: 6, head: 'responses' },
    { field: 'response_limit', rank: 7, head: 'limit' },
    { field: 'closes_at', rank: 5, head: 'closes', isAge: true },
    { field: 'created_at', rank: 3, head: 'age', isAge: true },
  ],
  'responses.list': [
    { field: 'id', rank: 0 },
    { field: 'nps_score', rank: 1, head: 'nps', colourOf: colourOfScore },
    { field: 'respondent.name', rank: 2, head: 'respondent', orElse: ['respondent', 'external_id'] },
    { field: 'respondent.email', rank: 6, head: 'email' },
    { field: 'survey_version', rank: 5, head: 'version' },
    { field: 'language', rank: 7 },
    { field: 'channel', rank: 4 },
    { field: 'completed_at', rank: 3, head: 'age', isAge: true },
  ],
  'widgets.list': [
    { field: 'id', rank: 0 },
    { field: 'name', rank: 2 },
    { field: 'layout', rank: 1 },
    { field: 'order', rank: 4 },
    { field: 'max_items', rank: 5, head: 'items' },
    { field: 'created_at', rank: 3, head: 'age', isAge: true },
  ],
  'videos.list': [
    { field: 'id', rank: 0 },
    { field: 'state', rank: 1, colourOf: (text) => VIDEO_STATES[text] },
    { field: 'file_name', rank: 3, head: 'file' },
    { field: 'draft.author.name', rank: 2, head: 'author' },
    { field: 'draft.submission_id', rank: 7, head: 'submission' },
    { field: 'size_bytes', rank: 6, head: 'bytes' },
    { field: 'error.code', rank: 5, head: 'error', colourOf: () => 'red' },
    { field: 'created_at', rank: 4, head: 'age', isAge: true },
  ],
  'imports.list': [
    { field: 'id', rank: 0 },
    { field: 'state', rank: 1, colourOf: (text) => IMPORT_STATES[text] },
    { field: 'file_name', rank: 2, head: 'file' },
    { field: 'dry_run', rank: 7 },
    { field: 'totals.rows', rank: 4, head: 'rows' },
    { field: 'totals.created', rank: 5, head: 'created' },
    { field: 'totals.failed', rank: 6, head: 'failed' },
    { field: 'created_at', rank: 3, head: 'age', isAge: true },
  ],
  'imports.rows.list': [
    { field: 'row', rank: 0 },
    { field: 'line', rank: 4 },
    { field: 'column', rank: 1 },
    { field: 'code', rank: 2, colourOf: () => 'red' },
    { field: 'detail', rank: 3 },
  ],
  'imports.preview': [
    { field: 'author.name', rank: 1, head: 'author' },
    { field: 'rating', rank: 2 },
    { field: 'body', rank: 0, head: 'text' },
  ],
  'webhooks.deliveries.list': [
    { field: 'id', rank: 0 },
    { field: 'event_type', rank: 2 },
    { field: 'state', rank: 1, colourOf: (text) => STATES[text] },
    { field: 'attempt_count', rank: 4, head: 'tries' },
    { field: 'next_attempt_at', rank: 5, head: 'next', isAge: true },
    { field: 'created_at', rank: 3, head: 'age', isAge: true },
    { field: 'created_at', rank: 6 },
  ],
  'webhooks.attempts.list': [
    { field: 'delivery_id', rank: 0 },
    { field: 'number', rank: 2, head: 'try' },
    { field: 'status_code', rank: 1, head: 'result', orElse: ['error', 'code'], colourOf: colourOfResult },
    { field: 'duration_ms', rank: 4, head: 'ms' },
    { field: 'started_at', rank: 3, head: 'age', isAge: true },
    { field: 'response_body', rank: 5 },
    { field: 'error.detail', rank: 6 },
    { field: 'started_at', rank: 7 },
    { field: 'trigger', rank: 8 },
    { field: 'remote_ip', rank: 9 },
  ],
}

/** Returns the columns chosen for a list by hand; undefined for lists whose columns come from the schema. */
export function layoutOf(name: string, item: SchemaNode): Column[] | undefined {
  return LAYOUTS[name]?.flatMap(({ field, ...chosen }) => {
    const path = field.split('.')
    const node = nodeAt(item, path)
    return node ? [{ ...chosen, path, node }] : []
  })
}

/** Promoters, passives and detractors. */
function colourOfScore(text: string): Colour | undefined {
  const score = Number.parseInt(text, 10)
  if (Number.isNaN(score)) return 'dim'
  if (score >= 9) return 'green'
  return score >= 7 ? 'yellow' : 'red'
}

function colourOfResult(text: string): Colour | undefined {
  if (text === '-') return 'yellow'
  return /^2\d\d$/.test(text) ? 'green' : 'red'
}
