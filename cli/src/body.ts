import { readText } from './source.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Returns whether the text of `--body` is a request body rather than the value of a field named body. */
export function isRequestBody(text: string): boolean {
  return text.startsWith('@') || text.trimStart().startsWith('{')
}

/** Reads the JSON object of `--body`: `@file`, `@-` for standard input, or inline JSON. */
export async function readBody(text: string, terminal: Terminal): Promise<Record<string, unknown>> {
  const source = text.startsWith('@') ? await readText(text.slice(1), terminal) : text
  const value = parse(source)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError('--body must be a JSON object')
  return { ...value }
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch (error) {
    throw new UsageError(`--body is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
}
