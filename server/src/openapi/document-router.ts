import { listOperations, type NamedOperation, type OperationTree } from '@earshot/contracts'
import { initTRPC } from '@trpc/server'
import type { OpenApiMeta, OpenApiRouter } from 'trpc-to-openapi'
import { z } from 'zod'
import { isQueryObject } from '../http/query.ts'

/** Builds a tRPC router for trpc-to-openapi to read: each operation's schemas and metadata. It is never called. */
export function documentRouter(contracts: OperationTree): OpenApiRouter {
  const { procedure, router } = initTRPC.meta<OpenApiMeta>().create()
  const procedures = listOperations(contracts).map(
    ({ operationId, operation: { method, path, input, output, summary, queryFields, headerFields } }: NamedOperation) => {
      const documented = procedure
        // `protect` and `errorResponses` would add security and errors of trpc-to-openapi; ours are added later.
        .meta({ openapi: { method, path: `/${path.slice(1)}`, operationId, summary, protect: false, errorResponses: {} } })
        .input(withTextsForObjects(headerFields.size > 0 ? withoutHeaders(input, headerFields) : input, queryFields))
        .output(output)
      return [operationId, method === 'GET' ? documented.query(notCalled) : documented.mutation(notCalled)]
    },
  )
  return router(Object.fromEntries(procedures))
}

/** trpc-to-openapi refuses objects in the query: it reads texts in their place, and `completeParameters` puts the objects back. */
function withTextsForObjects(input: z.ZodObject, queryFields: ReadonlySet<string>): z.ZodObject {
  const names = [...queryFields].filter((name) => isQueryObject(input.shape[name] as z.ZodType))
  return input.extend(Object.fromEntries(names.map((name) => [name, z.string().optional()])))
}

/** `completeParameters` adds the headers. */
function withoutHeaders(input: z.ZodObject, headerFields: ReadonlyMap<string, string>): z.ZodObject {
  return z.strictObject(Object.fromEntries(Object.entries(input.shape).filter(([name]) => !headerFields.has(name))))
}

function notCalled(): never {
  throw new Error('This router is read, never called.')
}
