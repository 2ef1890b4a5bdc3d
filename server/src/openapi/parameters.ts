import { type NamedOperation, sizes, takesKey } from '@earshot/contracts'
import { z } from 'zod'
import type { oas31 } from 'zod-openapi'
import { hasETag } from '../http/etag.ts'
import { isQueryObject } from '../http/query.ts'
import { exampleInputOf } from './examples.ts'

/** Parameters that operations share. */
export function parameters(): Record<string, oas31.ParameterObject> {
  return {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes retries safe: for 24 hours, the same key with the same input returns the first response again (`Idempotency-Replayed: true`) and does nothing else. With another input it is 409 `idempotency_key_reused`; while the first request is still running, 409 `idempotency_in_progress`.',
      schema: { type: 'string', minLength: 1, maxLength: sizes.idempotencyKeyCharacters, pattern: '^[\\x21-\\x7e]+$' },
    },
    LastEventId: {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      description: 'The `id` of the last message received: the stream resumes after it. Takes precedence over `cursor`.',
      schema: { type: 'string' },
    },
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'The `ETag` of your copy. If it still matches, the response is 304 without a body.',
      schema: { type: 'string' },
    },
  }
}

/** The parameters of an operation: path and query fields, then headers. */
export function completeParameters(
  draft: oas31.OperationObject,
  { operation, operationId }: NamedOperation,
): (oas31.ParameterObject | oas31.ReferenceObject)[] {
  const input = exampleInputOf(operationId) ?? {}
  return [
    ...(draft.parameters ?? []).map((parameter) => ('name' in parameter ? completeParameter(parameter, operation, input) : parameter)),
    ...[...operation.headerFields].map(([field, name]) => headerParameter(name, operation.input.shape[field] as z.ZodType)),
    ...(takesKey(operation) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(operation.stream === 'events' ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
    ...(hasETag(operation) ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ]
}

function headerParameter(name: string, field: z.ZodType): oas31.ParameterObject {
  const { description, ...schema } = objectSchemaOf(field)
  return { name, in: 'header', required: true, ...(description !== undefined && { description }), schema }
}

function completeParameter(
  parameter: oas31.ParameterObject,
  { input: { shape } }: NamedOperation['operation'],
  sent: Readonly<Record<string, unknown>>,
): oas31.ParameterObject {
  const field = shape[parameter.name] as z.ZodType | undefined
  const isObject = field !== undefined && isQueryObject(field)
  const { description: inner, example, ...rest } = isObject ? objectSchemaOf(field) : schemaOf(parameter)
  // Swagger UI sends the example of a parameter unless it is cleared, which is wrong for optional filters.
  const shown = sent[parameter.name] ?? example
  const schema = parameter.required && shown !== undefined ? { ...rest, example: shown } : rest
  // trpc-to-openapi unwraps optional fields and loses their descriptions.
  const description = field?.description ?? inner
  const isPath = parameter.in === 'path'
  const isArray = schema.type === 'array'
  return {
    name: parameter.name,
    in: parameter.in,
    required: parameter.required ?? false,
    ...(description !== undefined && { description }),
    ...(isArray && { style: 'form', explode: true }),
    ...(isObject && { style: 'deepObject', explode: true }),
    schema: isPath ? withoutUuidPattern(schema) : schema,
  }
}

function objectSchemaOf(field: z.ZodType): oas31.SchemaObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(field, { io: 'input' })
  // Both speak JSON Schema 2020-12.
  return schema as oas31.SchemaObject
}

function schemaOf({ schema = {} }: oas31.ParameterObject): oas31.SchemaObject {
  return '$ref' in schema ? { $ref: schema.$ref } : schema
}

/** Removes the pattern of UUIDs in paths: a malformed id is 404 like an unknown one. */
function withoutUuidPattern({ pattern, ...schema }: oas31.SchemaObject): oas31.SchemaObject {
  return schema.format === 'uuid' || pattern === undefined ? schema : { ...schema, pattern }
}
