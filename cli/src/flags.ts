import { kebabCase } from '@earshot/contracts/constants'
import { InvalidArgumentError, Option } from 'commander'
import type { SchemaNode } from './schema-node.ts'

type Input = Record<string, unknown>

/** An input field as a flag. */
export interface Flag {
  /** `author.name` */
  field: string
  /** `--author.name` */
  name: string
  path: readonly string[]
  /** For each part of the path, whether its object requires it. */
  required: readonly boolean[]
  node: SchemaNode
}

/** Returns the flags of an input schema's fields, in kebab-case, nested ones dotted. */
export function flagsOf(input: SchemaNode, path: readonly string[] = [], required: readonly boolean[] = []): Flag[] {
  return input.properties().flatMap(([key, node]) => {
    const field = { path: [...path, key], required: [...required, input.required.has(key)] }
    if (node.kind === 'object') return flagsOf(node, field.path, field.required)
    return [{ ...field, node, field: field.path.join('.'), name: `--${kebabCase(field.path.join('.'))}` }]
  })
}

/** An option that takes one of some values. */
export class ChoiceOption extends Option {
  values: readonly string[] = []
}

/** Returns Commander's options for a flag. A flag that can be cleared has a hidden negated form, `--no-…`. */
export function optionsOf(flag: Flag, canClear: boolean): Option[] {
  const { node, name } = flag
  const isClearable = canClear && (node.isNullable || node.kind === 'array')
  const description = describe(flag, isClearable)
  const negated = new Option(name.replace('--', '--no-')).hideHelp()
  if (node.kind === 'boolean') return [new Option(name, description), negated]
  const option = new ChoiceOption(`${name} <${placeholderOf(node)}>`, description)
  option.values = (node.kind === 'array' ? node.items() : node).choices
  option.argParser(node.kind === 'array' ? collect(node.items()) : (text) => parseScalar(node, text))
  return isClearable ? [option, negated] : [option]
}

/** Returns the input with the given flags applied. */
export function applyFlags(input: Input, flags: readonly Flag[], given: Readonly<Record<string, unknown>>): Input {
  let result = input
  for (const flag of flags) {
    const value = given[new Option(`${flag.name} <value>`).attributeName()]
    if (value !== undefined) result = withValue(result, flag.path, value === false ? clearedValue(flag.node) : value)
  }
  return result
}

/** Returns the required flags that the input lacks; those of an absent optional object are not required. */
export function missingFlags(input: Input, flags: readonly Flag[]): Flag[] {
  return flags.filter(({ path, required }) => {
    let value: unknown = input
    for (const [index, name] of path.entries()) {
      value = isObject(value) ? value[name] : null
      if (value === undefined) return required.slice(index).every(Boolean)
    }
    return false
  })
}

function describe({ node, required }: Flag, isClearable: boolean): string {
  const values = node.kind === 'array' ? node.items() : node
  const parts = [
    node.description ?? values.description ?? '',
    required.every(Boolean) && '(required)',
    values.choices.length > 0 && `(${values.choices.join(', ')})`,
    node.defaultValue !== undefined && `(default: ${String(node.defaultValue)})`,
    node.kind === 'array' && '(repeatable)',
    isClearable && '(--no-… clears it)',
  ]
  return parts.filter(Boolean).join(' ')
}

function placeholderOf(node: SchemaNode): string {
  const values = node.kind === 'array' ? node.items() : node
  if (values.format === 'uuid') return 'id'
  if (values.format === 'date-time') return 'time'
  if (values.kind === 'integer' || values.kind === 'number') return 'number'
  if (values.kind === 'json' || values.kind === 'object') return 'json'
  return values.choices.length > 0 ? 'choice' : 'text'
}

function collect(items: SchemaNode) {
  return (text: string, before: unknown): unknown[] => {
    const parts = items.choices.length > 0 ? text.split(',') : [text]
    const values = parts.flatMap((part) => parseScalar(items, part))
    return Array.isArray(before) ? [...before, ...values] : values
  }
}

function parseScalar(node: SchemaNode, text: string): unknown {
  if (node.kind === 'json' || node.kind === 'object') return parseJson(text)
  if (node.choices.length > 0 && !node.choices.includes(text))
    throw new InvalidArgumentError(`It must be one of: ${node.choices.join(', ')}.`)
  return node.kind === 'integer' || node.kind === 'number' ? parseNumber(text) : text
}

function parseNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.')
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It must be JSON.')
  }
}

function clearedValue(node: SchemaNode): unknown {
  if (node.kind === 'boolean') return false
  return node.kind === 'array' ? [] : null
}

function withValue(object: Input, [name = '', ...rest]: readonly string[], value: unknown): Input {
  const child = object[name]
  return { ...object, [name]: rest.length === 0 ? value : withValue(isObject(child) ? child : {}, rest, value) }
}

function isObject(value: unknown): value is Input {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
