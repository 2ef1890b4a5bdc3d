import type { oas31 } from 'zod-openapi'

/** Values, whose fields are no keywords of a schema. */
const VALUES = new Set(['example', 'examples', 'const', 'enum', 'default'])

/**
 * Says schemas in the words that client generators know: free JSON is `additionalProperties: true`, keys have no rules, and a
 * number is a double, which some generators otherwise take for a float of 32 bits. The service still checks the keys.
 */
export function plainSchemas(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  // Proven: only keywords of schemas are replaced, by others that OpenAPI 3.1 has.
  return plain(document) as oas31.OpenAPIObject
}

function plain(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plain)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => [key, VALUES.has(key) ? value : plain(value)])
  const { propertyNames: _rules, ...schema }: Record<string, unknown> = Object.fromEntries(entries)
  return {
    ...schema,
    ...(schema.type === 'number' && schema.format === undefined && { format: 'double' }),
    ...(isEmpty(schema.additionalProperties) && { additionalProperties: true }),
  }
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0
}
