import { listOperations, type NamedOperation, type OperationTree } from '@earshot/contracts'
import { initTRPC } from '@trpc/server'
import type { OpenApiMeta, OpenApiRouter } from 'trpc-to-openapi'

/** Builds a tRPC router for trpc-to-openapi to read: each operation's schemas and metadata. It is never called. */
export function documentRouter(contracts: OperationTree): OpenApiRouter {
  const { procedure, router } = initTRPC.meta<OpenApiMeta>().create()
  const procedures = listOperations(contracts).map(
    ({ operationId, operation: { method, path, input, output, summary } }: NamedOperation) => {
      const documented = procedure
        // `protect` and `errorResponses` would add security and errors of trpc-to-openapi; ours are added later.
        .meta({ openapi: { method, path: `/${path.slice(1)}`, operationId, summary, protect: false, errorResponses: {} } })
        .input(input)
        .output(output)
      return [operationId, method === 'GET' ? documented.query(notCalled) : documented.mutation(notCalled)]
    },
  )
  return router(Object.fromEntries(procedures))
}

function notCalled(): never {
  throw new Error('This router is read, never called.')
}
