import type { z } from 'zod'

/** Nulls, in place, what the caller must not see. The value is an output of the schema that the mask was compiled for. */
export type Mask = (value: unknown) => void

/**
 * Compiles the masker of an output: every field marked `visibility: 'read:contacts'` becomes null. Null when the schema
 * has none. Handlers make fresh objects for each answer, so changing them in place is safe.
 */
export function compileMask(schema: z.ZodType): Mask | null {
  const def = defOf(schema)
  switch (def.type) {
    case 'object':
      return maskOfFields(def.shape ?? {})
    case 'array':
      return maskOfItems(def.element)
    case 'nullable':
    case 'optional':
    case 'default':
      return maskOfPresent(def.innerType)
    case 'union':
      return maskOfUnion(def)
    default:
      return null
  }
}

/** What the masker reads of a schema. */
interface SchemaDef {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  options?: z.ZodType[]
  discriminator?: string
  values?: unknown[]
}

/** zod keeps it in `def`, typed by each class on its own. */
function defOf(schema: z.ZodType): SchemaDef {
  return (schema as unknown as { def: SchemaDef }).def
}

function maskOfFields(shape: Record<string, z.ZodType>): Mask | null {
  const marked = Object.keys(shape).filter((name) => isMarked(shape[name]))
  const inner = Object.entries(shape).flatMap(([name, field]) => {
    const mask = marked.includes(name) ? null : compileMask(field)
    return mask ? [{ name, mask }] : []
  })
  if (marked.length === 0 && inner.length === 0) return null
  return (value) => {
    const record = value as Record<string, unknown>
    for (const name of marked) record[name] = null
    for (const { name, mask } of inner) mask(record[name])
  }
}

function maskOfItems(element: z.ZodType | undefined): Mask | null {
  const mask = element && compileMask(element)
  return mask ? (value) => (value as unknown[]).forEach(mask) : null
}

function maskOfPresent(inner: z.ZodType | undefined): Mask | null {
  const mask = inner && compileMask(inner)
  return mask ? (value) => (value === null || value === undefined ? undefined : mask(value)) : null
}

/** Events: the type decides which fields there are. */
function maskOfUnion({ options = [], discriminator }: SchemaDef): Mask | null {
  const masks = new Map<unknown, Mask>()
  for (const option of options) {
    const mask = compileMask(option)
    if (!mask) continue
    if (!discriminator) throw new Error('A union with marked fields needs a discriminator')
    masks.set(literalOf(option, discriminator), mask)
  }
  if (masks.size === 0) return null
  return (value) => masks.get((value as Record<string, unknown>)[discriminator ?? ''])?.(value)
}

function literalOf(option: z.ZodType, field: string): unknown {
  const { shape = {} } = defOf(option)
  return shape[field] && defOf(shape[field]).values?.[0]
}

function isMarked(schema: z.ZodType | undefined): boolean {
  return (schema?.meta() as { visibility?: string } | undefined)?.visibility === 'read:contacts'
}
