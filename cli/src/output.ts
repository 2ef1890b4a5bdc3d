import type { NamedOperation } from '@earshot/contracts'
import { columnsOf } from './columns.ts'
import { layoutOf } from './layouts.ts'
import { painter } from './paint.ts'
import { jsonText, printable } from './printable.ts'
import { formatRecord } from './record.ts'
import { nodeAt, type SchemaNode } from './schema-node.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

interface Page {
  results: unknown[]
  next_cursor?: string | null
}

/** Takes the answer of an operation, or one page after another, and prints it. */
export interface Output {
  add(answer: unknown): void
  end(): Promise<void>
}

interface Format {
  named: NamedOperation
  terminal: Terminal
  schema: SchemaNode
  given: Readonly<Record<string, unknown>>
}

/** Chooses the print from the flags. Throws a UsageError when `--output` names a field that there cannot be. */
export function openOutput(format: Format): Output {
  const { given, schema } = format
  if (typeof given.output !== 'string') return given.json ? jsonOutput(format) : peopleOutput(format)
  const item = itemOf(schema)
  const path = given.output.split('.')
  if (!nodeAt(item ?? schema, path)) throw new UsageError(`there is no field ${given.output}; there are: ${namesOf(item ?? schema)}`)
  return fieldOutput(format, path)
}

function jsonOutput({ terminal }: Format): Output {
  let whole: unknown
  return {
    add: (answer) => {
      whole = isPage(whole) && isPage(answer) ? { ...answer, results: [...whole.results, ...answer.results] } : answer
    },
    end: async () => {
      if (whole !== undefined) terminal.writeOut(`${jsonText(whole)}\n`)
    },
  }
}

function fieldOutput({ terminal, given, named }: Format, path: readonly string[]): Output {
  let last: unknown
  return {
    add: (answer) => {
      last = answer
      for (const record of isPage(answer) ? answer.results : [answer]) terminal.writeOut(`${bareText(valueAt(record, path), terminal)}\n`)
    },
    end: async () => hintAtMore(last, given, { named, terminal }),
  }
}

function peopleOutput({ terminal, schema, given, named }: Format): Output {
  const answers: unknown[] = []
  return {
    add: (answer) => answers.push(answer),
    end: async () => {
      const item = itemOf(schema)
      const last = answers.at(-1)
      if (last === undefined) return terminal.writeError('done\n')
      if (!item || !isPage(last)) return terminal.writeOut(formatRecord(last))
      const rows = answers.filter(isPage).flatMap(({ results }) => results)
      const { formatTable } = await import('./table.ts')
      const columns = layoutOf(named.name, item) ?? columnsOf(item)
      if (rows.length > 0) terminal.writeOut(formatTable(columns, rows, { terminalWidth: terminal.columns, paint: painter(terminal) }))
      else terminal.writeError('nothing found\n')
      hintAtMore(last, given, { named, terminal })
    },
  }
}

function hintAtMore(
  page: unknown,
  given: Readonly<Record<string, unknown>>,
  { named, terminal }: Pick<Format, 'named' | 'terminal'>,
): void {
  if (!isPage(page) || !page.next_cursor) return
  const command = `earshot ${named.words.join(' ')} … --cursor ${page.next_cursor}`
  terminal.writeError(given.all ? `up to date; go on later: ${command}\n` : `there may be more: ${command}, or --all\n`)
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

function isPage(answer: unknown): answer is Page {
  return typeof answer === 'object' && answer !== null && 'results' in answer && Array.isArray(answer.results)
}

function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined), record)
}

/** For a program as it is; for a terminal without what would command it. */
function bareText(value: unknown, { columns }: Terminal): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return columns === undefined ? text : printable(text)
}
