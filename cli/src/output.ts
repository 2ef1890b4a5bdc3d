import type { AnalyticsOverview, EndpointStats, NpsAnalytics, SurveyResults } from '@earshot/contracts'
import { grouped } from '@earshot/contracts/constants'
import { columnsOf } from './columns.ts'
import { jsonOutput, jsonPagesOutput, linesOutput } from './json-output.ts'
import { layoutOf } from './layouts.ts'
import type { Operation } from './operation.ts'
import { isPage, type Output, type Page, valueAt } from './page.ts'
import { painter } from './paint.ts'
import { printable } from './printable.ts'
import { formatRecord } from './record.ts'
import { nodeAt, type SchemaNode } from './schema-node.ts'
import { openTable, type Table } from './table.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Rows that decide on the columns of a table, however long it is. */
const TABLE_BATCH = 1_000

/** The cursors of the service. */
const CURSOR = /^[\w.-]+$/

/** Results that people read as a chart, by operation. The drawing is loaded when it is needed. */
const CHARTS: Record<string, (result: unknown, terminal: Terminal) => Promise<string>> = {
  'surveys.results': async (result, terminal) => (await import('./charts.ts')).drawResults(result as SurveyResults, terminal),
  'analytics.overview': async (result) => (await import('./charts.ts')).drawOverview(result as AnalyticsOverview),
  'webhooks.stats': async (result, terminal) => (await import('./charts.ts')).drawEndpointStats(result as EndpointStats, terminal),
  'analytics.nps': async (result, terminal) => (await import('./charts.ts')).drawNps(result as NpsAnalytics, terminal),
}

/** What a result is printed by. */
export interface Format {
  operation: Operation
  terminal: Terminal
  schema: SchemaNode
  given: Readonly<Record<string, unknown>>
}

/** Chooses the format from the flags. Throws a UsageError when `--output` names an unknown field or `--query` is no expression. */
export async function openOutput(format: Format): Promise<Output> {
  const { given, terminal } = format
  // JSON tells of the next page itself.
  if (given.json && typeof given.query !== 'string') return given.all ? jsonPagesOutput(terminal) : jsonOutput(terminal)
  return mentioningNextPage(await openFormat(format), format)
}

async function openFormat(format: Format): Promise<Output> {
  const { given, schema, terminal } = format
  const item = itemOf(schema)
  if (typeof given.query === 'string') return (await import('./query-output.ts')).queryOutput(terminal, given.query, given.json === true)
  if (given.csv) return (await import('./csv-output.ts')).csvOutput(terminal, item ?? schema)
  if (given.ndjson) return linesOutput(terminal)
  if (typeof given.output !== 'string') return peopleOutput(format, item)
  const path = given.output.split('.')
  if (!nodeAt(item ?? schema, path)) throw new UsageError(`unknown field ${given.output}. Choose from: ${namesOf(item ?? schema)}`)
  return fieldOutput(terminal, path)
}

function fieldOutput(terminal: Terminal, path: readonly string[]): Output {
  return {
    add: async (result) => {
      const records = isPage(result) ? result.results : [result]
      await terminal.writeAll(records.map((record) => `${bareText(valueAt(record, path), terminal)}\n`).join(''))
    },
    end: async () => {},
  }
}

function peopleOutput(format: Format, item: SchemaNode | undefined): Output {
  const { operation, terminal, given } = format
  const columns = item && (layoutOf(operation.name, item) ?? columnsOf(item))
  const rows: unknown[] = []
  let last: unknown
  let table: Table | undefined
  const flush = async () => {
    table ??= openTable(columns ?? [], rows, { terminalWidth: terminal.columns, paint: painter(terminal) })
    await terminal.writeAll(table.format(rows.splice(0)))
  }
  return {
    add: async (result) => {
      last = result
      if (isPage(result) && columns) rows.push(...result.results)
      if (rows.length >= TABLE_BATCH || (given.watch && rows.length > 0)) await flush()
    },
    end: async () => {
      if (last === undefined) return terminal.writeError('done\n')
      if (!columns || !isPage(last)) return terminal.writeOut((await CHARTS[operation.name]?.(last, terminal)) ?? formatRecord(last))
      if (rows.length > 0) await flush()
      if (!table) terminal.writeError('nothing found\n')
    },
  }
}

/** Says on the standard error when there may be more than what was printed: a reader of the output cannot see it. */
function mentioningNextPage(output: Output, { operation, terminal, given }: Format): Output {
  let last: unknown
  return {
    add: async (result) => {
      last = result
      await output.add(result)
    },
    end: async () => {
      await output.end()
      if (isPage(last) && last.next_cursor) terminal.writeError(`${nextPageText(last, operation, given.all === true)}\n`)
    },
  }
}

function nextPageText({ results, next_cursor: cursor }: Page, { words }: Operation, isAll: boolean): string {
  // People copy the command into a shell.
  const command = cursor && CURSOR.test(cursor) ? `earshot ${words.join(' ')} … --cursor ${cursor}` : undefined
  if (isAll) return command ? `up to date. Continue later with: ${command}` : 'up to date'
  const count = `${grouped(results.length)} record${results.length === 1 ? '' : 's'}`
  return `${count}, and there may be more. ${command ? `Next page: ${command}, all pages: --all` : 'All pages: --all'}`
}

/** Returns the records of a list; undefined for what is none. */
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

/** Returns the value unchanged for a program, and without control characters for a terminal. */
function bareText(value: unknown, { columns }: Terminal): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return columns === undefined ? text : printable(text)
}
