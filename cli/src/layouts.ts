import type { Column } from './columns.ts'
import type { Colour } from './paint.ts'
import { nodeAt, type SchemaNode } from './schema-node.ts'

type LayoutColumn = Pick<Column, 'rank' | 'head' | 'orElse' | 'isAge' | 'colourOf'> & { field: string }

const STATES: Record<string, Colour> = { succeeded: 'green', pending: 'yellow', sending: 'yellow', failed: 'red', skipped: 'dim' }

/** Columns of the lists that people read to find a problem, in order; ranks as in `Column`. */
const LAYOUTS: Record<string, readonly LayoutColumn[]> = {
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

function colourOfResult(text: string): Colour | undefined {
  if (text === '-') return 'yellow'
  return /^2\d\d$/.test(text) ? 'green' : 'red'
}
