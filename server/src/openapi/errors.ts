import { STATUS_CODES } from 'node:http'
import { type ErrorCode, errorCodes, errorRow, FieldError, type Operation } from '@earshot/contracts'
import { z } from 'zod'
import { createSchema, type oas31 } from 'zod-openapi'
import { errorCodesOf } from './error-codes.ts'
import { type HeaderName, headerRefs, LIMIT_HEADERS } from './headers.ts'

/** Returns references to the error responses of an operation. */
export function errorResponseRefs(operation: Operation): oas31.ResponsesObject {
  const statuses = new Set(errorCodesOf(operation).map((code) => errorRow(code).status))
  return Object.fromEntries([...statuses].sort().map((status) => [status, { $ref: `#/components/responses/${responseName(status)}` }]))
}

/** Returns a response for each status of the error table. */
export function errorResponses(): Record<string, oas31.ResponseObject> {
  return Object.fromEntries(
    [...codesByStatus()].map(([status, codes]) => [
      responseName(status),
      {
        description: codes.map((code) => `\`${code}\`: ${errorRow(code).detail}`).join('\n\n'),
        headers: headerRefs(...headersOf(status)),
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName(status)}` } } },
      },
    ]),
  )
}

/** Returns the schema of each status: the error body with its codes and their fields. */
export function errorSchemas(): oas31.SchemasObject {
  const schemas: oas31.SchemasObject = {}
  for (const [status, codes] of codesByStatus()) {
    const { schema, components } = createSchema(errorBody(codes), { io: 'output' })
    Object.assign(schemas, components, { [schemaName(status)]: schema })
  }
  return schemas
}

function errorBody(codes: readonly [ErrorCode, ...ErrorCode[]]): z.ZodObject {
  return z
    .object({
      detail: z.string().meta({ description: 'What went wrong, for people.', example: errorRow(codes[0]).detail }),
      code: z.enum(codes).meta({ description: 'What went wrong, for programs.' }),
      errors: z.array(FieldError).optional().meta({ description: 'The invalid fields.' }),
      request_id: z.string().meta({ description: 'Identifies the request in our logs.' }),
      ...Object.assign({}, ...codes.map(ownFields)),
    })
    .meta({ description: 'The body of an error.' })
}

/** The fields of one code, optional because other codes of the same status have others. */
function ownFields(code: ErrorCode): z.ZodRawShape {
  const fields = Object.entries(errorRow(code).fields ?? {})
  return Object.fromEntries(fields.map(([name, schema]) => [name, z.optional(schema).meta({ description: ownDescription(code, schema) })]))
}

/** Repeats the description of an inline schema. A component has its own. */
function ownDescription(code: ErrorCode, schema: z.core.$ZodType): string {
  const { id, description } = z.globalRegistry.get(schema) ?? {}
  return `With the code \`${code}\`.${id === undefined && description !== undefined ? ` ${description}` : ''}`
}

function codesByStatus(): Map<number, [ErrorCode, ...ErrorCode[]]> {
  const byStatus = new Map<number, [ErrorCode, ...ErrorCode[]]>()
  for (const code of errorCodes) {
    const { status } = errorRow(code)
    const codes = byStatus.get(status)
    if (codes) codes.push(code)
    else byStatus.set(status, [code])
  }
  return byStatus
}

function headersOf(status: number): readonly HeaderName[] {
  if (status === 401) return [...LIMIT_HEADERS, 'WWW-Authenticate']
  if (status === 429) return [...LIMIT_HEADERS, 'Retry-After']
  if (status === 503) return ['Retry-After']
  return status === 431 || status === 500 ? [] : LIMIT_HEADERS
}

function schemaName(status: number): string {
  return `${responseName(status).replace(/Error$/, '')}Error`
}

/** Returns the name of a status as one word: `NotFound`. */
function responseName(status: number): string {
  return (STATUS_CODES[status] ?? `Status ${status}`).replaceAll(/\W/g, '')
}
