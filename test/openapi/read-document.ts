/** JSON of unknown shape, read step by step. */
export type Json = Record<string, unknown>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object under a key, or an empty one. */
export function objectAt(value: unknown, key: string): Json {
  const child = isObject(value) ? value[key] : undefined
  return isObject(child) ? child : {}
}

/** The list under a key, or an empty one. */
export function listAt(value: unknown, key: string): unknown[] {
  const child = isObject(value) ? value[key] : undefined
  return Array.isArray(child) ? child : []
}

/** Returns a node with its `$ref` resolved; siblings of the reference take precedence (OpenAPI 3.1). */
export function follow(document: Json, node: unknown): Json {
  if (!isObject(node)) return {}
  const { $ref: reference, ...beside } = node
  if (typeof reference !== 'string') return node
  const target = reference
    .slice(2)
    .split('/')
    .reduce<Json>((at, key) => objectAt(at, key), document)
  return { ...follow(document, target), ...beside }
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Every operation of the document by its method and path. */
export function operationsOf(document: Json): Map<string, Json> {
  return new Map(
    Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) =>
      METHODS.filter((method) => isObject(item) && isObject(item[method])).map((method) => [
        `${method.toUpperCase()} ${path}`,
        objectAt(item, method),
      ]),
    ),
  )
}
