import { ApiError, type FieldError, sizes } from '@earshot/contracts'
import { z } from 'zod'

/** Validates a flat raw input. Throws `validation_error`, and `not_found` when only path fields are invalid. */
export type ReadInput<Input = Record<string, unknown>> = (raw: Record<string, unknown>) => Input

/** A body of a megabyte can have half a million faults. */
const MAX_FIELD_ERRORS = 100

/**
 * Returns the validation of an operation's input, compiled with the first one: the code of some schemas takes 350 KB. An invalid path
 * field is like an unknown id, reported after other fields.
 */
export function compileInput<Schema extends z.ZodObject>(schema: Schema, pathFields: ReadonlySet<string>): ReadInput<z.output<Schema>> {
  let compiled: Schema | undefined
  return (raw) => {
    compiled ??= z.compile(schema)
    const result = compiled.safeParse(raw)
    if (result.success) return result.data
    const errors = result.error.issues.flatMap((issue) => fieldErrors(issue, raw)).filter(({ field }) => !pathFields.has(field))
    throw errors.length > 0 ? new ApiError('validation_error', { errors: errors.slice(0, MAX_FIELD_ERRORS) }) : new ApiError('not_found')
  }
}

/**
 * Refuses values that PostgreSQL or JSON cannot represent, at any depth: NUL, lone surrogates, integers beyond a double's
 * precision; and too deep nesting. Walks without recursion.
 */
export function requireCarriable(root: unknown): void {
  requireCarriableValue(root, { path: '', depth: 0 })
  const rest: Container[] = isContainer(root) ? [{ value: root, path: '', depth: 0 }] : []
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { value, path, depth } = next
    for (const key of Object.keys(value)) {
      if (!Array.isArray(value)) requireCarriableValue(key, { path, depth })
      const child = value[key]
      const at = { path: path === '' ? key : `${path}.${key}`, depth: depth + 1 }
      requireCarriableValue(child, at)
      if (isContainer(child)) rest.push({ value: child, ...at })
    }
  }
}

/** An object or an array, and its path in the body. */
interface Container {
  value: Record<string, unknown>
  path: string
  depth: number
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function requireCarriableValue(value: unknown, { path, depth }: { path: string; depth: number }): void {
  const problem = problemOf(value, depth)
  if (problem) throw new ApiError('validation_error', { errors: [{ field: path, ...problem }] })
}

function problemOf(value: unknown, depth: number): Omit<FieldError, 'field'> | null {
  if (depth > sizes.jsonDepth) return { code: 'too_deep', detail: `is nested deeper than ${sizes.jsonDepth} levels` }
  // 1e400 is parsed as Infinity, which JSON cannot represent.
  if (typeof value === 'number' && (Number.isInteger(value) || !Number.isFinite(value)) && !Number.isSafeInteger(value)) {
    return { code: 'unsafe_integer', detail: 'must not be an integer beyond 2^53' }
  }
  if (typeof value !== 'string') return null
  if (value.includes('\u0000')) return { code: 'nul_character', detail: 'must not contain NUL' }
  return value.isWellFormed() ? null : { code: 'lone_surrogate', detail: 'must not contain lone surrogates' }
}

function fieldErrors(issue: z.core.$ZodIssue, raw: unknown): FieldError[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: [...path, key].join('.'),
      code: 'unknown_field',
      detail: 'is not a field of this operation',
    }))
  }
  return [{ field: path.join('.'), ...(isAbsent(raw, issue.path) ? { code: 'required', detail: 'is required' } : reasonOf(issue)) }]
}

function isAbsent(raw: unknown, path: PropertyKey[]): boolean {
  return (
    path.length > 0 && path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], raw) === undefined
  )
}

/** Describes an issue in our own words. Custom rules keep their own text. */
function reasonOf(issue: z.core.$ZodIssue): Omit<FieldError, 'field'> {
  const { code, message } = issue
  switch (issue.code) {
    case 'invalid_type':
      return { code, detail: `must be ${typeName(issue.expected)}` }
    case 'invalid_value':
      return { code, detail: `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}` }
    case 'too_small':
      return { code, detail: `must ${boundOf(issue.origin, 'at least', issue.minimum)}` }
    case 'too_big':
      return { code, detail: `must ${boundOf(issue.origin, 'at most', issue.maximum)}` }
    case 'invalid_format':
      return { code, detail: formatDetails[issue.format] ?? message }
    case 'invalid_key':
      return { code, detail: issue.issues[0] ? `has an invalid name: ${reasonOf(issue.issues[0]).detail}` : 'has an invalid name' }
    case 'invalid_union':
      return { code: 'invalid_value', detail: 'is not one of the allowed values' }
    case 'custom':
      return { code: 'invalid_value', detail: message }
    default:
      return { code, detail: message }
  }
}

const formatDetails: Record<string, string> = {
  email: 'must be an e-mail address',
  uuid: 'must be a UUID',
  datetime: 'must be an RFC 3339 timestamp such as 2026-11-20T09:30:00Z',
}

function typeName(expected: string): string {
  if (expected === 'int') return 'a whole number'
  if (expected === 'record') return 'an object'
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`
}

function boundOf(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `have ${bound} ${limit} characters`
  return origin === 'array' || origin === 'set' ? `have ${bound} ${limit} items` : `be ${bound} ${limit}`
}
