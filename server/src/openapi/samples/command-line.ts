import { isEverywhere, type Operation } from '@earshot/contracts'
import { z } from 'zod'
import type { SampleCall } from './call.ts'
import { LINE_WIDTH } from './literal.ts'
import { shellWord } from './shell.ts'

const TEAM_AND_PROJECT = ['team_id', 'project_id']

/** Returns a call with the command `earshot`; nothing for an operation that it does not have, such as those of visitors. */
export function commandLineSample({ named: { words, operation }, input }: SampleCall): string | undefined {
  const isExport = operation.stream === 'records'
  if (!isEverywhere(operation) && !operation.stream) return undefined
  const positional = positionalOf(operation)
  const command = ['earshot', ...(isExport ? ['export', ...words.slice(0, 1)] : words)]
  const flags = Object.entries(input).flatMap(([name, value]) => {
    if (name === positional) return []
    if (operation.pathFields.has(name)) return [flag(name.replace(/_id$/, ''), value)]
    return fieldFlags(name, operation.input.shape[name] as z.ZodType, value)
  })
  const parts = [...(positional === undefined ? [] : [shellWord(String(input[positional]))]), ...flags]
  const line = [...command, ...parts].join(' ')
  return line.length <= LINE_WIDTH ? line : [command.join(' '), ...parts].join(' \\\n  ')
}

/** The last field of the path is an argument. A team or project is one only where the path ends in it. */
function positionalOf({ path, pathFields }: Operation): string | undefined {
  const last = [...pathFields].at(-1)
  return last !== undefined && (!TEAM_AND_PROJECT.includes(last) || path.endsWith(`{${last}}/`)) ? last : undefined
}

/** A field as flags: those of an object are dotted, a list repeats its flag. */
function fieldFlags(name: string, field: z.ZodType, value: unknown): string[] {
  if (Array.isArray(value)) return value.map((item) => flag(name, item))
  if (typeof value === 'boolean') return [value ? flagName(name) : flagName(name).replace('--', '--no-')]
  const shape = shapeOf(field)
  if (typeof value !== 'object' || value === null || shape === undefined) return [flag(name, value)]
  return Object.entries(value).flatMap(([key, child]) => fieldFlags(`${name}.${key}`, shape[key] as z.ZodType, child))
}

function flag(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.startsWith('-') ? `${flagName(name)}=${shellWord(text)}` : `${flagName(name)} ${shellWord(text)}`
}

function flagName(name: string): string {
  return `--${name.replaceAll('_', '-')}`
}

/** The fields of an object, also of one that may be absent or null; nothing for free JSON. */
function shapeOf(field: z.ZodType): z.ZodObject['shape'] | undefined {
  if (field instanceof z.ZodObject) return field.shape
  const isWrapped = field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault
  return isWrapped ? shapeOf(field.unwrap() as z.ZodType) : undefined
}
