import { eventTypes } from '@earshot/contracts/constants'
import { type Forwarding, isDelivered } from './forward.ts'
import { type Paint, painter } from './paint.ts'
import { jsonLine, oneLine } from './printable.ts'
import type { Terminal } from './terminal.ts'

/** The rare events about endpoints have longer types and take more, so that the lines of others fit into 80 columns. */
const TYPE_WIDTH = Math.max(...eventTypes.filter((type) => !type.startsWith('webhook.')).map((type) => type.length))

/** One try to forward an event, as printed. */
export interface ListenLine {
  event: { id: string; type: string }
  cursor: string
  /** Null when events are only shown. */
  forwarding: Forwarding | null
  /** Null after the last try. */
  nextTryInMs: number | null
}

/** Returns a function that prints a line: text for people, or a JSON object. */
export function lineWriter(terminal: Terminal, isJson: boolean): (line: ListenLine) => void {
  const paint = painter(terminal)
  return (line) => terminal.writeOut(`${isJson ? jsonLine(objectOf(line)) : textOf(line, paint)}\n`)
}

/** `09:30:12 submission.approved     019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e03 200 12ms`: a success fits in 80 columns. */
function textOf({ event, forwarding, nextTryInMs }: ListenLine, paint: Paint): string {
  const known = `${new Date().toTimeString().slice(0, 8)} ${oneLine(event.type).padEnd(TYPE_WIDTH)} ${oneLine(event.id)}`
  if (!forwarding) return known
  const { status, error, ms } = forwarding
  if (isDelivered(forwarding)) return `${known} ${paint('green', String(status))} ${ms}ms`
  const [colour, then] = nextTryInMs === null ? (['red', 'skipped'] as const) : (['yellow', `retry in ${nextTryInMs / 1000}s`] as const)
  return `${known} ${paint(colour, String(status ?? error))} ${ms}ms ${then}`
}

function objectOf({ event: { id, type }, cursor, forwarding, nextTryInMs }: ListenLine): object {
  const { status, error, ms } = forwarding ?? { status: null, error: null, ms: null }
  const at = new Date().toISOString()
  return { at, event_id: id, event_type: type, cursor, status_code: status, error, duration_ms: ms, next_try_in_ms: nextTryInMs }
}
