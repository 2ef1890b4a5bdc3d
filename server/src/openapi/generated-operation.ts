import type { Operation } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'

/** Returns an operation as trpc-to-openapi generated it. It removes the trailing slash of paths. */
export function generatedOperation({ paths }: oas31.OpenAPIObject, { method, path }: Operation): oas31.OperationObject {
  const generated = paths?.[path.slice(0, -1)]?.[methodKey(method)]
  if (!generated) throw new Error(`${method} ${path} is not in the generated document`)
  return generated
}

/** Returns the method's key in a path item. */
export function methodKey(method: Operation['method']): 'get' | 'post' | 'patch' | 'delete' {
  const keys = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const
  return keys[method]
}
