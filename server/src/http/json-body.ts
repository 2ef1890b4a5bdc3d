import { ApiError, sizes } from '@earshot/contracts'
import type { FastifyInstance } from 'fastify'
import { parse } from 'secure-json-parse'
import { requireCarriable } from './input.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Replaces Fastify's body parsers by a strict JSON reader: UTF-8, no `__proto__`, bounded depth, errors of the table. */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/json(\s*;|$)/i, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => readJson(body))
}

/** Reads a body; an empty one is `{}`. Throws `malformed_json`, and `validation_error` for values that cannot be stored. */
function readJson(body: Buffer): unknown {
  if (body.length === 0) return {}
  const text = decode(body)
  requireDepth(text)
  const value = parseSafely(text)
  requireCarriable(value)
  return value
}

function decode(body: Buffer): string {
  try {
    return UTF8.decode(body)
  } catch {
    throw new ApiError('malformed_json')
  }
}

/** Counts brackets outside of strings before parsing, in one pass and without recursion. */
function requireDepth(text: string): void {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth > sizes.jsonDepth) {
      throw new ApiError('validation_error', {
        errors: [{ field: '', code: 'too_deep', detail: `is nested deeper than ${sizes.jsonDepth} levels` }],
      })
    }
  }
}

function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at === -1 ? text.length : at
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}

function parseSafely(text: string): unknown {
  try {
    return parse(text, { protoAction: 'error', constructorAction: 'error' })
  } catch {
    throw new ApiError('malformed_json')
  }
}
