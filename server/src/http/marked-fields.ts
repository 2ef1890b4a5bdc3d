import type { z } from 'zod'

/** Replaces the marked fields of a value, in place. The value must match the schema that was compiled. */
export type ReplaceFields = (value: unknown, replacement: (field: unknown, schema: z.ZodType) => unknown) => void

type IsMarked = (schema: z.ZodType) => boolean

/** Compiles a walk to the marked fields of a schema. Returns null when it has none. */
export function compileMarkedFields(schema: z.ZodType, isMarked: IsMarked): ReplaceFields | null {
  const def = defOf(schema)
  switch (def.type) {
    case 'object':
      return fieldsOf(def.shape ?? {}, isMarked)
    case 'array':
      return itemsOf(def.element, isMarked)
    case 'nullable':
    case 'optional':
    case 'default':
      return presentOf(def.innerType, isMarked)
    case 'union':
      return variantsOf(def, isMarked)
    default:
      return null
  }
}

/** The parts of a zod schema that are read. */
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

function fieldsOf(shape: Record<string, z.ZodType>, isMarked: IsMarked): ReplaceFields | null {
  const marked = Object.entries(shape).filter(([, field]) => isMarked(field))
  const names = new Set(marked.map(([name]) => name))
  const inner = Object.entries(shape).flatMap(([name, field]) => {
    const replace = names.has(name) ? null : compileMarkedFields(field, isMarked)
    return replace ? [{ name, replace }] : []
  })
  if (marked.length === 0 && inner.length === 0) return null
  return (value, replacement) => {
    const record = value as Record<string, unknown>
    for (const [name, field] of marked) record[name] = replacement(record[name], field)
    for (const { name, replace } of inner) replace(record[name], replacement)
  }
}

function itemsOf(element: z.ZodType | undefined, isMarked: IsMarked): ReplaceFields | null {
  const replace = element && compileMarkedFields(element, isMarked)
  if (!replace) return null
  return (value, replacement) => {
    for (const item of value as unknown[]) replace(item, replacement)
  }
}

function presentOf(inner: z.ZodType | undefined, isMarked: IsMarked): ReplaceFields | null {
  const replace = inner && compileMarkedFields(inner, isMarked)
  return replace ? (value, replacement) => (value === null || value === undefined ? undefined : replace(value, replacement)) : null
}

/** A union of events: the type determines the fields. */
function variantsOf({ options = [], discriminator }: SchemaDef, isMarked: IsMarked): ReplaceFields | null {
  const variants = new Map<unknown, ReplaceFields>()
  for (const option of options) {
    const replace = compileMarkedFields(option, isMarked)
    if (!replace) continue
    if (!discriminator) throw new Error('A union with marked fields needs a discriminator')
    variants.set(literalOf(option, discriminator), replace)
  }
  if (variants.size === 0) return null
  return (value, replacement) => variants.get((value as Record<string, unknown>)[discriminator ?? ''])?.(value, replacement)
}

function literalOf(option: z.ZodType, field: string): unknown {
  const { shape = {} } = defOf(option)
  return shape[field] && defOf(shape[field]).values?.[0]
}
