import type { NamedOperation } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'
import { exampleInputOf } from './examples.ts'
import { generatedOperation } from './generated-operation.ts'

const JSON_TYPE = 'application/json'

/** Returns the bodies of all operations as components, such as `SubmissionsApproveRequest`. */
export function requestSchemas(generated: oas31.OpenAPIObject, operations: readonly NamedOperation[]): oas31.SchemasObject {
  const schemas: oas31.SchemasObject = {}
  for (const named of operations) {
    const schema = bodySchema(generatedOperation(generated, named.operation))
    if (schema) schemas[requestName(named)] = { ...schema, description: `Body of \`${named.operationId}\`: ${named.operation.summary}.` }
  }
  return schemas
}

/** Returns a reference to the body. It is optional where `{}` is valid. */
export function completeRequestBody(draft: oas31.OperationObject, named: NamedOperation): oas31.RequestBodyObject | undefined {
  const schema = bodySchema(draft)
  if (!schema) return undefined
  const required = 'required' in schema && Array.isArray(schema.required) && schema.required.length > 0
  const schemaRef = { $ref: `#/components/schemas/${requestName(named)}` }
  return { required, content: { [JSON_TYPE]: { schema: schemaRef, ...bodyExample(named) } } }
}

/** The body of the recorded request. */
function bodyExample({ operationId, operation }: NamedOperation): { example?: unknown } {
  const input = exampleInputOf(operationId)
  if (input === undefined) return {}
  return { example: Object.fromEntries(Object.entries(input).filter(([name]) => operation.bodyFields.has(name))) }
}

function bodySchema({ requestBody }: oas31.OperationObject): oas31.SchemaObject | oas31.ReferenceObject | undefined {
  return requestBody && 'content' in requestBody ? requestBody.content[JSON_TYPE]?.schema : undefined
}

function requestName({ operationId }: NamedOperation): string {
  return `${operationId.replaceAll(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())}Request`
}
