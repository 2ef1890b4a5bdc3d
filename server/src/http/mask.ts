import type { z } from 'zod'
import { compileMarkedFields } from './marked-fields.ts'

/** Sets hidden fields of an output to null, in place. The output must match the schema of the mask. */
export type Mask = (value: unknown) => void

/**
 * Compiles the mask of an output schema: fields marked `visibility: 'read:contacts'` become null. Returns null when the
 * schema has none. Handlers create new objects for each response, so changing them in place is safe.
 */
export function compileMask(schema: z.ZodType): Mask | null {
  const replace = compileMarkedFields(schema, isMarked)
  return replace && ((value) => replace(value, () => null))
}

function isMarked(schema: z.ZodType): boolean {
  return (schema.meta() as { visibility?: string } | undefined)?.visibility === 'read:contacts'
}
