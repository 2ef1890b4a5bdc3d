import { follow, isObject, type Json, listAt, objectAt } from './read-document.ts'

export interface SchemaComparison {
  before: Json
  after: Json
  /** What clients send may only widen; what they receive may only narrow. */
  direction: 'request' | 'response'
  place: string
}

/** Bounds that get stricter as they grow, and as they shrink. */
const LOWER_BOUNDS = ['minLength', 'minItems', 'minimum'] as const
const UPPER_BOUNDS = ['maxLength', 'maxItems', 'maximum'] as const
const SHAPES = ['pattern', 'format', 'const'] as const

/** What a client would trip over where one schema took the place of another, each in one line. */
export function findSchemaBreaks(comparison: SchemaComparison, before: unknown, after: unknown): string[] {
  return compare({ ...comparison, visited: new Set() }, before, after)
}

interface Walk extends SchemaComparison {
  /** Pairs of references under comparison, against cycles. */
  visited: Set<string>
}

function compare(walk: Walk, before: unknown, after: unknown): string[] {
  const { place, direction, visited } = walk
  if (before === undefined || after === undefined)
    return before === after ? [] : [`${place}: the schema is ${after === undefined ? 'gone' : 'new'}`]
  if (isObject(before) && isObject(after) && before.$ref !== undefined && after.$ref !== undefined) {
    const pair = `${before.$ref} ${after.$ref}`
    if (visited.has(pair)) return []
    visited.add(pair)
  }
  const old = variantsOf(walk.before, before)
  const now = variantsOf(walk.after, after)
  const lost = direction === 'request' ? without(old, now).filter((kind) => !isInEnum(kind, now)) : without(now, withNewTags(old, now))
  return [
    ...lost.map((kind) => (direction === 'request' ? `${place}: ${kind} is no longer taken` : `${place}: may be ${kind} now`)),
    ...[...old].flatMap(([kind, schema]) => {
      const successor = now.get(kind)
      return successor ? compareVariant(walk, schema, successor) : []
    }),
  ]
}

/** A schema as the kinds of value it allows: nullable and united ones allow several. */
function variantsOf(document: Json, node: unknown): Map<string, Json> {
  const schema = follow(document, node)
  const alternatives = [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')]
  if (alternatives.length > 0) return new Map(alternatives.flatMap((alternative) => [...variantsOf(document, alternative)]))
  const types = Array.isArray(schema.type) ? schema.type.map(String) : [String(schema.type ?? 'anything')]
  return new Map(types.map((type) => [kindOf(document, type, schema), type === 'null' ? { type } : schema]))
}

/** Members of a tagged union are told apart by their tag. */
function kindOf(document: Json, type: string, schema: Json): string {
  const tag = follow(document, objectAt(schema, 'properties').type).const
  if (type === 'object' && typeof tag === 'string') return `object ${tag}`
  return type === 'string' && typeof schema.const === 'string' ? `string ${schema.const}` : type
}

function without(left: Map<string, Json>, right: Map<string, Json>): string[] {
  return right.has('anything') ? [] : [...left.keys()].filter((kind) => !right.has(kind))
}

/** A text that was a member of a union of its own may have become one value of an enum. */
function isInEnum(kind: string, now: Map<string, Json>): boolean {
  return listAt(now.get('string') ?? {}, 'enum').some((value) => kind === `string ${value}`)
}

/** A tagged union of an answer may gain members, such as an event's type: its tag is an enum that gains a value. */
function withNewTags(old: Map<string, Json>, now: Map<string, Json>): Map<string, Json> {
  const isTagged = (kind: string) => kind.startsWith('object ')
  if (![...old.keys()].some(isTagged)) return old
  return new Map([...old, ...[...now].filter(([kind]) => isTagged(kind))])
}

function compareVariant(walk: Walk, old: Json, now: Json): string[] {
  return [
    ...fieldBreaks(walk, old, now),
    ...itemBreaks(walk, old, now),
    ...(walk.direction === 'request' ? narrowings(walk.place, old, now) : []),
  ]
}

function fieldBreaks(walk: Walk, old: Json, now: Json): string[] {
  const { place, direction } = walk
  const fields = objectAt(old, 'properties')
  const nextFields = objectAt(now, 'properties')
  const required = listAt(old, 'required')
  const nextRequired = listAt(now, 'required')
  const breaks = Object.entries(fields).flatMap(([name, schema]) => {
    if (!(name in nextFields)) return [`${place}.${name}: the field is gone`]
    const optional = direction === 'response' && required.includes(name) && !nextRequired.includes(name)
    return [
      ...(optional ? [`${place}.${name}: may be absent now`] : []),
      ...compare({ ...walk, place: `${place}.${name}` }, schema, nextFields[name]),
    ]
  })
  const demanded = direction === 'request' ? nextRequired.filter((name) => !required.includes(name)) : []
  return [...breaks, ...demanded.map((name) => `${place}.${name}: the field is required now`)]
}

function itemBreaks(walk: Walk, old: Json, now: Json): string[] {
  return old.items === undefined ? [] : compare({ ...walk, place: `${walk.place}[]` }, old.items, now.items)
}

/** What was taken and is refused now. */
function narrowings(place: string, old: Json, now: Json): string[] {
  const breaks: string[] = []
  const values = listAt(now, 'enum')
  if (now.enum !== undefined) {
    const gone = listAt(old, 'enum').filter((value) => !values.includes(value))
    if (old.enum === undefined) breaks.push(`${place}: only certain values are taken now`)
    if (gone.length > 0) breaks.push(`${place}: no longer takes ${gone.join(', ')}`)
  }
  for (const bound of LOWER_BOUNDS)
    if (numberAt(now, bound, Number.NEGATIVE_INFINITY) > numberAt(old, bound, Number.NEGATIVE_INFINITY))
      breaks.push(`${place}: ${bound} rose`)
  for (const bound of UPPER_BOUNDS)
    if (numberAt(now, bound, Number.POSITIVE_INFINITY) < numberAt(old, bound, Number.POSITIVE_INFINITY))
      breaks.push(`${place}: ${bound} fell`)
  for (const shape of SHAPES) if (now[shape] !== undefined && now[shape] !== old[shape]) breaks.push(`${place}: ${shape} changed`)
  if (now.additionalProperties === false && old.additionalProperties !== false) breaks.push(`${place}: unknown fields are refused now`)
  return breaks
}

function numberAt(schema: Json, key: string, otherwise: number): number {
  const value = schema[key]
  return typeof value === 'number' ? value : otherwise
}
