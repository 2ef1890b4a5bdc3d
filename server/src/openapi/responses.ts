import { type NamedOperation, type Operation, takesKey } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'
import { hasETag } from '../http/etag.ts'
import { errorResponseRefs } from './errors.ts'
import { exampleOf } from './examples.ts'
import { headerRefs, LIMIT_HEADERS } from './headers.ts'

const DESCRIPTIONS = { 200: 'Success.', 201: 'Created.', 202: 'Accepted.', 204: 'Success, without a body.' } as const

/**
 * Describes a stream: OpenAPI 3.1 has no schema for one message of it, so JSON Schema says what the text holds once it is decoded
 * (JSON Schema 2020-12, Validation, §8.5). Generators make a model of the data.
 */
function eventStreamOf({ output }: Operation): oas31.ContentObject {
  const { id = '' } = output.meta() ?? {}
  const description = `An endless stream of messages. The data of each is ${/^[AEIOU]/.test(id) ? 'an' : 'a'} \`${id}\` as JSON.`
  const data = { type: 'string', contentMediaType: 'application/json', contentSchema: { $ref: `#/components/schemas/${id}` } } as const
  const message = { type: 'object', properties: { id: { type: 'string' }, event: { type: 'string' }, data } } as const
  const messages = { type: 'array', items: message } as const
  const schema = { type: 'string', description, contentMediaType: 'text/event-stream', contentSchema: messages } as const
  return { 'text/event-stream': { schema } }
}

const NDJSON = 'application/x-ndjson'

/** The content of an export; OpenAPI 3.1 cannot describe its lines either. */
const RECORDS: oas31.ContentObject = {
  [NDJSON]: { schema: { type: 'string', description: 'A record as JSON on each line.' } },
  'text/csv': { schema: { type: 'string', description: 'A header, then a record on each row.' } },
}

/** The responses of an operation: success, 304 for operations with an ETag, and every possible error. */
export function completeResponses(draft: oas31.OperationObject, named: NamedOperation, names: ReadonlySet<string>): oas31.ResponsesObject {
  const { operation } = named
  return {
    [operation.status]: success(draft, named, names),
    ...(hasETag(operation) && { 304: { $ref: '#/components/responses/NotModified' } }),
    ...errorResponseRefs(operation),
  }
}

/** The response to a matching `If-None-Match`. */
export function notModified(): oas31.ResponseObject {
  return { description: 'The resource still matches the `ETag` that you sent.', headers: headerRefs('ETag', ...LIMIT_HEADERS) }
}

function success(
  draft: oas31.OperationObject,
  { name, operation, operationId }: NamedOperation,
  names: ReadonlySet<string>,
): oas31.ResponseObject {
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
      ? { content: operation.stream === 'events' ? withExample(eventStreamOf(operation), operationId) : withNdjson(operationId) }
      : status !== 204 && generated?.content && { content: withExample(generated.content, operationId) }),
  }
}

function withExample(content: oas31.ContentObject, operationId: string): oas31.ContentObject {
  return Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { ...media, ...exampleOf(operationId) }]))
}

/** The recorded response is in the format that clients get unless they ask for CSV. */
function withNdjson(operationId: string): oas31.ContentObject {
  return { ...RECORDS, [NDJSON]: { ...RECORDS[NDJSON], ...exampleOf(operationId) } }
}

/** Created resources have a `Location` if there is a sibling operation `retrieve`. */
function hasLocation(name: string, { status }: Operation, names: ReadonlySet<string>): boolean {
  return status === 201 && names.has(name.replace(/[^.]+$/, 'retrieve'))
}
