import { type NamedOperation, type Operation, takesKey } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'
import { errorResponseRefs } from './errors.ts'
import { headerRefs, LIMIT_HEADERS } from './headers.ts'

const DESCRIPTIONS = { 200: 'Done.', 201: 'Created.', 202: 'Accepted; the work goes on.', 204: 'Done; there is nothing to show.' } as const

/** OpenAPI 3.1 has no words for what is sent piece by piece. */
const EVENT_STREAM: oas31.MediaTypeObject = {
  schema: { type: 'string', description: 'Messages without end. The data of each event is an `Event`, as JSON.' },
  example: 'id: f2s\nevent: submission.approved\ndata: {"id":"019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01","type":"submission.approved",…}\n\n',
}

/** The success that the operation really answers with, 304 where tags are compared, and every error that its shape can give. */
export function completeResponses(draft: oas31.OperationObject, named: NamedOperation, names: ReadonlySet<string>): oas31.ResponsesObject {
  const { operation } = named
  return {
    [operation.status]: success(draft, named, names),
    ...(hasETag(operation) && { 304: { $ref: '#/components/responses/NotModified' } }),
    ...errorResponseRefs(operation),
  }
}

/** Whether answers carry an ETag: single resources, and every read of the public plane. */
export function hasETag(operation: Operation): boolean {
  return operation.method === 'GET' && (operation.access === 'public' || !isPage(operation))
}

/** The answer to a tag that still holds. */
export function notModified(): oas31.ResponseObject {
  return { description: 'The `ETag` that you sent still holds.', headers: headerRefs('ETag', ...LIMIT_HEADERS) }
}

function success(draft: oas31.OperationObject, { name, operation }: NamedOperation, names: ReadonlySet<string>): oas31.ResponseObject {
  const { status, output } = operation
  const generated: oas31.ResponseObject | undefined = draft.responses?.['200']
  return {
    description: status === 200 ? (output.description ?? DESCRIPTIONS[status]) : DESCRIPTIONS[status],
    headers: headerRefs(
      ...LIMIT_HEADERS,
      ...(hasETag(operation) ? (['ETag'] as const) : []),
      ...(hasLocation(name, operation, names) ? (['Location'] as const) : []),
      ...(takesKey(operation) ? (['Idempotency-Replayed'] as const) : []),
    ),
    ...(operation.stream
      ? { content: { 'text/event-stream': EVENT_STREAM } }
      : status !== 204 && generated?.content && { content: generated.content }),
  }
}

/** What was created can be looked up where a `retrieve` stands beside. */
function hasLocation(name: string, { status }: Operation, names: ReadonlySet<string>): boolean {
  return status === 201 && names.has(name.replace(/[^.]+$/, 'retrieve'))
}

function isPage({ input }: Operation): boolean {
  return 'cursor' in input.shape
}
