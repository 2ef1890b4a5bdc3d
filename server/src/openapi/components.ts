import type { oas31 } from 'zod-openapi'

const REFERENCE = /^#\/components\/(\w+)\/(.+)$/

/** Removes unused components, such as the response of a status that no operation has, and sorts the others by name. */
export function tidyComponents(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  const { components = {}, ...rest } = document
  const used = referencesFrom(document, rest)
  const tidy = Object.entries(components).map(([section, entries]) => {
    // Security requirements name their schemes without a reference.
    const isUsed = (name: string) => section === 'securitySchemes' || used.has(`#/components/${section}/${name}`)
    const kept = Object.entries(entries ?? {}).filter(([name]) => isUsed(name))
    return [section, Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)))]
  })
  return { ...rest, components: Object.fromEntries(tidy) }
}

/** Returns the names of the schemas that a part of the document refers to, directly or not. */
export function reachableSchemas(document: oas31.OpenAPIObject, start: unknown): ReadonlySet<string> {
  const names = [...referencesFrom(document, start)]
    .map((reference) => REFERENCE.exec(reference))
    .filter((match) => match?.[1] === 'schemas')
  return new Set(names.map((match) => match?.[2] ?? ''))
}

/** Copies a JSON value and replaces each of its objects, inner ones first. */
export function mapNodes(value: unknown, replace: (node: Record<string, unknown>) => Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => mapNodes(item, replace))
  if (typeof value !== 'object' || value === null) return value
  return replace(Object.fromEntries(Object.entries(value).map(([key, child]) => [key, mapNodes(child, replace)])))
}

function referencesFrom(document: oas31.OpenAPIObject, start: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      if (key !== '$ref' || typeof value !== 'string') collect(value)
      else if (!found.has(value)) {
        found.add(value)
        collect(componentAt(document, value))
      }
    }
  }
  collect(start)
  return found
}

function componentAt({ components = {} }: oas31.OpenAPIObject, reference: string): unknown {
  const [, section, name] = REFERENCE.exec(reference) ?? []
  const entries = Object.entries(components).find(([key]) => key === section)?.[1]
  const component: unknown = Object.entries(entries ?? {}).find(([key]) => key === name)?.[1]
  if (component === undefined) throw new Error(`${reference} is not in the document`)
  return component
}
