import { sizes } from '@earshot/contracts'
import type { Reading } from './values.ts'

/** Reads a JSON object that the API could have received: what PostgreSQL or JSON cannot represent is refused. */
export function readMetadata(cell: string): Reading<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(cell)
  } catch {
    return { error: 'invalid_format', detail: 'must be JSON' }
  }
  if (!isObject(value)) return { error: 'invalid_format', detail: 'must be a JSON object' }
  const problem = problemOf(value)
  return problem ? { error: 'invalid_value', detail: problem } : { value }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Walks without recursion. */
function problemOf(root: unknown): string | null {
  const rest: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }]
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { value, depth } = next
    if (depth > sizes.jsonDepth) return `must not be nested deeper than ${sizes.jsonDepth} levels`
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) return 'must not contain NUL or half a character'
    // 1e400 is read as Infinity.
    if (typeof value === 'number' && !Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value))) {
      return 'must not contain integers beyond 2^53'
    }
    if (typeof value !== 'object' || value === null) continue
    for (const [key, child] of Object.entries(value)) rest.push({ value: key, depth }, { value: child, depth: depth + 1 })
  }
  return null
}
