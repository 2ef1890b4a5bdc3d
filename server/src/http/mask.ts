import type { z } from 'zod'

/** Sets hidden fields of an output to null, in place. The output must match the schema of the mask. */
export type Mask = (value: unknown) => void

/**
 * Compiles the mask of an output schema: fields marked `visibility: 'read:contacts'` become null. Returns null when the
 * schema has none. Handlers create new objects for each response, so changing them in place is safe.
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

/** The parts of a zod schema that the mask reads. */
interface SchemaDef {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  options?: z.ZodType[]
  discriminator?: string
  values?: unknown[]
}

/** Every zod schema has `def`, with a type of its own in each class. */
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

/** A union of events: the type determines the fields. */
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
