import { readFile } from 'node:fs/promises'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Whether the text of `--body` is a request body rather than the words of a field that is called body too. */
export function isRequestBody(text: string): boolean {
  return text.startsWith('@') || text.trimStart().startsWith('{')
}

/** The JSON object of `--body`: `@file`, `@-` for standard input, or JSON itself. */
export async function readBody(text: string, terminal: Terminal): Promise<Record<string, unknown>> {
  const source = text.startsWith('@') ? await readSource(text.slice(1), terminal) : text
  const value = parse(source)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError('--body must hold a JSON object')
  return { ...value }
}

async function readSource(file: string, { stdin }: Terminal): Promise<string> {
  if (file === '-') return readAll(stdin)
  try {
    return await readFile(file, 'utf8')
  } catch {
    throw new UsageError(`--body @${file}: there is no such file to read`)
  }
}

async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks = await Array.fromAsync(stream, (chunk) => Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch (error) {
    throw new UsageError(`--body is no JSON: ${error instanceof Error ? error.message : error}`)
  }
}
