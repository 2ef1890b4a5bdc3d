import { readFile } from 'node:fs/promises'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Returns whether the text of `--body` is a request body rather than the value of a field named body. */
export function isRequestBody(text: string): boolean {
  return text.startsWith('@') || text.trimStart().startsWith('{')
}

/** Reads the JSON object of `--body`: `@file`, `@-` for standard input, or inline JSON. */
export async function readBody(text: string, terminal: Terminal): Promise<Record<string, unknown>> {
  const source = text.startsWith('@') ? await readSource(text.slice(1), terminal) : text
  const value = parse(source)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError('--body must be a JSON object')
  return { ...value }
}

async function readSource(file: string, { stdin }: Terminal): Promise<string> {
  if (file === '-') return readAll(stdin)
  try {
    return await readFile(file, 'utf8')
  } catch {
    throw new UsageError(`--body @${file}: cannot read the file`)
  }
}

async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch (error) {
    throw new UsageError(`--body is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
}
