import { ApiError, sizes } from '@earshot/contracts'
import type { FastifyInstance } from 'fastify'
import { parse } from 'secure-json-parse'
import { requireCarriable } from './input.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Replaces Fastify's body parsers by a strict JSON reader: UTF-8, no `__proto__`, bounded depth and number of values, errors
 * of the table.
 */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/json(\s*;|$)/i, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => readJson(body))
}

/** Reads a body; an empty one is `{}`. Throws `malformed_json`, and `validation_error` for values that cannot be stored. */
export function readJson(body: Buffer): unknown {
  if (body.length === 0) return {}
  requireBounded(body)
  const value = parseSafely(decode(body))
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

/**
 * Bounds what the body contains, in one pass over its bytes before any value is made of them: a megabyte can hold half a
 * million values, and each costs far more than its bytes. JSON's own characters are ASCII, which no other character contains.
 */
function requireBounded(body: Buffer): void {
  const { jsonDepth, jsonValues, jsonKeys, jsonKeyBytes } = sizes
  const { length } = body
  let depth = 0
  let values = 1
  let keys = 0
  let keyBytes = 0
  let textStart = 0
  let textEnd = 0
  for (let at = 0; at < length; at += 1) {
    const byte = body[at]
    if (byte === QUOTE) {
      textStart = at
      textEnd = endOfString(body, at)
      at = textEnd
    } else if (byte === COLON) {
      keys += 1
      keyBytes += textEnd - textStart
      if (keys > jsonKeys || keyBytes > jsonKeyBytes) {
        throw refusal('too_many_keys', `has more than ${jsonKeys} keys, or more than ${jsonKeyBytes} bytes of them`)
      }
    } else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1
      if (values > jsonValues) throw refusal('too_many_values', `has more than ${jsonValues} values`)
      if (byte !== COMMA) depth += 1
      if (depth > jsonDepth) throw refusal('too_deep', `is nested deeper than ${jsonDepth} levels`)
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1
  }
}

function endOfString(body: Buffer, start: number): number {
  let at = start + 1
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1
  return at
}

function refusal(code: string, detail: string): ApiError {
  return new ApiError('validation_error', { errors: [{ field: '', code, detail }] })
}

function parseSafely(text: string): unknown {
  try {
    return parse(text, { protoAction: 'error', constructorAction: 'error' })
  } catch {
    throw new ApiError('malformed_json')
  }
}
