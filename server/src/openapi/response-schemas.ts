import type { oas31 } from 'zod-openapi'
import { mapNodes, reachableSchemas } from './components.ts'

/**
 * Opens the schemas of responses and events, because a new field is no breaking change, and removes patterns and bounds that
 * only concern input. Schemas of requests stay closed: an unknown field is an error.
 */
export function openResponseSchemas(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  const schemas = document.components?.schemas ?? {}
  const closed = reachableSchemas(document, requestsOf(document))
  const opened = Object.entries(schemas).map(([name, schema]) => [name, closed.has(name) ? schema : mapNodes(schema, open)])
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(opened) } }
}

function requestsOf({ paths }: oas31.OpenAPIObject): unknown {
  return Object.values(paths ?? {}).map(({ get, post, patch, delete: remove }) =>
    [get, post, patch, remove].map((operation) => [operation?.parameters, operation?.requestBody]),
  )
}

function open(node: Record<string, unknown>): Record<string, unknown> {
  const { additionalProperties, pattern, minimum, maximum, visibility, ...rest } = node
  return {
    ...rest,
    ...(typeof visibility === 'string' ? { 'x-earshot-visibility': visibility } : visibility !== undefined && { visibility }),
    ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
    ...(pattern !== undefined && node.format !== 'uuid' && { pattern }),
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  }
}
