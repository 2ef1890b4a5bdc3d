import { printable } from './printable.ts'

/** Formats a single resource: one line per field, nested ones dotted, as `--output` takes them. */
export function formatRecord(record: unknown): string {
  const lines = linesOf(record)
  const width = Math.max(...lines.map(([name]) => name.length))
  const indent = `\n${' '.repeat(width + 2)}`
  return lines
    .map(([name, value]) => `${name.padEnd(width)}  ${value.replaceAll('\n', indent)}`.trimEnd())
    .join('\n')
    .concat('\n')
}

function linesOf(value: unknown, path: readonly string[] = []): [string, string][] {
  const name = printable(path.join('.'))
  if (value === null || value === undefined) return [[name, '-']]
  if (typeof value === 'boolean') return [[name, value ? 'yes' : 'no']]
  if (typeof value !== 'object') return [[name, printable(String(value))]]
  const entries = Object.entries(value)
  if (entries.length === 0) return [[name, '-']]
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return [[name, printable(value.join(', '))]]
  return entries.flatMap(([key, child]) => linesOf(child, [...path, key]))
}
