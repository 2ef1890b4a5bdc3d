import type { AnalyticsOverview, EndpointStats, NpsAnalytics, SurveyResults } from '@earshot/contracts'
import { columnsOf } from './columns.ts'
import { layoutOf } from './layouts.ts'
import type { Operation } from './operation.ts'
import { painter } from './paint.ts'
import { jsonText, printable } from './printable.ts'
import { formatRecord } from './record.ts'
import { nodeAt, type SchemaNode } from './schema-node.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** The cursors of the service. */
const CURSOR = /^[\w.-]+$/

/** Results that people read as a chart, by operation. The drawing is loaded when it is needed. */
const CHARTS: Record<string, (result: unknown, terminal: Terminal) => Promise<string>> = {
  'surveys.results': async (result, terminal) => (await import('./charts.ts')).drawResults(result as SurveyResults, terminal),
  'analytics.overview': async (result) => (await import('./charts.ts')).drawOverview(result as AnalyticsOverview),
  'webhooks.stats': async (result, terminal) => (await import('./charts.ts')).drawEndpointStats(result as EndpointStats, terminal),
  'analytics.nps': async (result, terminal) => (await import('./charts.ts')).drawNps(result as NpsAnalytics, terminal),
}

interface Page {
  results: unknown[]
  next_cursor?: string | null
}

/** Prints the result of an operation, or one page after another. */
export interface Output {
  add(result: unknown): void
  end(): Promise<void>
}

interface Format {
  operation: Operation
  terminal: Terminal
  schema: SchemaNode
  given: Readonly<Record<string, unknown>>
}

/** Chooses the format from the flags. Throws a UsageError when `--output` names an unknown field. */
export function openOutput(format: Format): Output {
  const { given, schema } = format
  if (typeof given.output !== 'string') return given.json ? jsonOutput(format) : peopleOutput(format)
  const item = itemOf(schema)
  const path = given.output.split('.')
  if (!nodeAt(item ?? schema, path)) throw new UsageError(`unknown field ${given.output}. Choose from: ${namesOf(item ?? schema)}`)
  return fieldOutput(format, path)
}

function jsonOutput({ terminal }: Format): Output {
  let whole: unknown
  return {
    add: (result) => {
      whole = isPage(whole) && isPage(result) ? { ...result, results: [...whole.results, ...result.results] } : result
    },
    end: async () => {
      if (whole !== undefined) terminal.writeOut(`${jsonText(whole)}\n`)
    },
  }
}

function fieldOutput({ terminal, given, operation }: Format, path: readonly string[]): Output {
  let last: unknown
  return {
    add: (result) => {
      last = result
      for (const record of isPage(result) ? result.results : [result]) terminal.writeOut(`${bareText(valueAt(record, path), terminal)}\n`)
    },
    end: async () => mentionNextPage(last, given, { operation, terminal }),
  }
}

function peopleOutput({ terminal, schema, given, operation }: Format): Output {
  const results: unknown[] = []
  return {
    add: (result) => results.push(result),
    end: async () => {
      const item = itemOf(schema)
      const last = results.at(-1)
      if (last === undefined) return terminal.writeError('done\n')
      if (!item || !isPage(last)) return terminal.writeOut((await CHARTS[operation.name]?.(last, terminal)) ?? formatRecord(last))
      const rows = results.filter(isPage).flatMap((page) => page.results)
      const { formatTable } = await import('./table.ts')
      const columns = layoutOf(operation.name, item) ?? columnsOf(item)
      if (rows.length > 0) terminal.writeOut(formatTable(columns, rows, { terminalWidth: terminal.columns, paint: painter(terminal) }))
      else terminal.writeError('nothing found\n')
      mentionNextPage(last, given, { operation, terminal })
    },
  }
}

function mentionNextPage(
  page: unknown,
  given: Readonly<Record<string, unknown>>,
  { operation, terminal }: Pick<Format, 'operation' | 'terminal'>,
): void {
  if (!isPage(page) || !page.next_cursor) return
  // People copy the command into a shell.
  if (!CURSOR.test(page.next_cursor)) {
    terminal.writeError('there may be more. All pages: --all\n')
    return
  }
  const command = `earshot ${operation.words.join(' ')} … --cursor ${page.next_cursor}`
  terminal.writeError(
    given.all ? `up to date. Continue later with: ${command}\n` : `there may be more. Next page: ${command}, all pages: --all\n`,
  )
}

function itemOf(schema: SchemaNode): SchemaNode | undefined {
  const results = nodeAt(schema, ['results'])
  return results?.kind === 'array' ? results.items() : undefined
}

function namesOf(schema: SchemaNode): string {
  return schema
    .properties()
    .map(([name]) => name)
    .join(', ')
}

function isPage(result: unknown): result is Page {
  return typeof result === 'object' && result !== null && 'results' in result && Array.isArray(result.results)
}

function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined), record)
}

/** Returns the value unchanged for a program, and without control characters for a terminal. */
function bareText(value: unknown, { columns }: Terminal): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return columns === undefined ? text : printable(text)
}
