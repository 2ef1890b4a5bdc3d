import { type NamedOperation, sizes, takesKey } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'
import { hasETag } from './responses.ts'

/** Parameters that operations share. */
export function parameters(): Record<string, oas31.ParameterObject> {
  return {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes the request safe to repeat: for 24 hours the same key with the same input gives the first answer again (`Idempotency-Replayed: true`) and does nothing. With another input it is 409 `idempotency_key_reused`; while the first one still runs, 409 `idempotency_in_progress`.',
      schema: { type: 'string', minLength: 1, maxLength: sizes.idempotencyKeyCharacters, pattern: '^[\\x21-\\x7e]+$' },
    },
    LastEventId: {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      description: 'The `id` of the last message that arrived: the stream goes on behind it. Goes before `cursor`.',
      schema: { type: 'string' },
    },
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'An `ETag` that you have: if it still holds, the answer is 304 without a body.',
      schema: { type: 'string' },
    },
  }
}

/** The operation's path and query fields, then the headers that it reads. */
export function completeParameters(
  draft: oas31.OperationObject,
  { operation }: NamedOperation,
): (oas31.ParameterObject | oas31.ReferenceObject)[] {
  return [
    ...(draft.parameters ?? []).map((parameter) => ('name' in parameter ? completeParameter(parameter, operation) : parameter)),
    ...(takesKey(operation) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(operation.stream ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
    ...(hasETag(operation) ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ]
}

function completeParameter(parameter: oas31.ParameterObject, { input }: NamedOperation['operation']): oas31.ParameterObject {
  const { description: inner, example, ...rest } = schemaOf(parameter)
  // Swagger UI sends the example of a parameter unless it is cleared: right for an id, wrong for a filter.
  const schema = parameter.required && example !== undefined ? { ...rest, example } : rest
  // trpc-to-openapi unwraps optional fields and loses what the wrapper says.
  const description = input.shape[parameter.name]?.description ?? inner
  const isPath = parameter.in === 'path'
  const isArray = schema.type === 'array'
  return {
    name: parameter.name,
    in: parameter.in,
    required: parameter.required ?? false,
    ...(description !== undefined && { description }),
    ...(isArray && { style: 'form', explode: true }),
    schema: isPath ? withoutUuidPattern(schema) : schema,
  }
}

function schemaOf({ schema = {} }: oas31.ParameterObject): oas31.SchemaObject {
  return '$ref' in schema ? { $ref: schema.$ref } : schema
}

/** A path id that is no UUID is 404 like any unknown one, so the format says enough. */
function withoutUuidPattern({ pattern, ...schema }: oas31.SchemaObject): oas31.SchemaObject {
  return schema.format === 'uuid' || pattern === undefined ? schema : { ...schema, pattern }
}
