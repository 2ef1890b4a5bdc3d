import { ApiError, type FieldError, sizes } from '@earshot/contracts'
import { z } from 'zod'

/** Turns a flat raw input into the operation's own, or throws. Path fields that do not fit name nothing: 404. */
export type ReadInput = (raw: Record<string, unknown>) => Record<string, unknown>

/** Compiles the check of an operation's input once. Path ids are judged after the other fields. */
export function compileInput(schema: z.ZodObject, pathFields: ReadonlySet<string>): ReadInput {
  const compiled = z.compile(schema)
  return (raw) => {
    const result = compiled.safeParse(raw)
    if (result.success) return result.data
    const errors = result.error.issues.flatMap((issue) => fieldErrors(issue)).filter(({ field }) => !pathFields.has(field))
    throw errors.length > 0 ? new ApiError('validation_error', { errors }) : new ApiError('not_found')
  }
}

/**
 * Refuses text that PostgreSQL or JSON cannot carry, wherever it stands, and nesting that is too deep: NUL, lone
 * surrogates, integers that a double cannot hold. Walks without recursion.
 */
export function requireCarriable(root: unknown): void {
  const rest: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }]
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { value, path, depth } = next
    const problem = problemOf(value, depth)
    if (problem) throw new ApiError('validation_error', { errors: [{ field: path, ...problem }] })
    if (typeof value !== 'object' || value === null) continue
    for (const [key, child] of Object.entries(value)) {
      const childPath = path === '' ? key : `${path}.${key}`
      if (!Array.isArray(value)) rest.push({ value: key, path, depth })
      rest.push({ value: child, path: childPath, depth: depth + 1 })
    }
  }
}

function problemOf(value: unknown, depth: number): Omit<FieldError, 'field'> | null {
  if (depth > sizes.jsonDepth) return { code: 'too_deep', detail: `is nested deeper than ${sizes.jsonDepth} levels` }
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return { code: 'unsafe_integer', detail: 'is an integer beyond 2^53' }
  }
  if (typeof value !== 'string') return null
  if (value.includes('\u0000')) return { code: 'nul_character', detail: 'must not contain NUL' }
  return value.isWellFormed() ? null : { code: 'lone_surrogate', detail: 'must not contain lone surrogates' }
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), code: 'unknown_field', detail: 'is not a field of this operation' }))
  }
  return [{ field: path.join('.'), code: codeOf(issue), detail: issue.message }]
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'required'
  return issue.code === 'custom' ? 'invalid_value' : issue.code
}
