import openapiTS, { astToString } from 'openapi-typescript'

type Json = Record<string, unknown>

/** What is typed of an operation: what a caller sends, and what success returns. */
interface DocumentOperation {
  operationId: string
  parameters?: { in?: string }[]
  requestBody?: unknown
  responses: Record<string, { description?: string; content?: Record<string, { schema?: unknown }> }>
}

/** An OpenAPI document, as far as it is read here. */
export interface Document {
  openapi: string
  info: Json
  paths: Record<string, Record<string, DocumentOperation>>
  components: { schemas: Json }
}

const HEAD = '// Made from the OpenAPI document by openapi-typescript.\n\n'

/** Returns the models and operations of a document as TypeScript, without failures, headers and webhooks. */
export async function modelTypes(document: Document): Promise<string> {
  const { openapi, info, paths, components } = document
  const lean = {
    openapi,
    info,
    paths: mapValues(paths, (item) => mapValues(item, leanOperation)),
    components: { schemas: components.schemas },
  }
  const nodes = await openapiTS(JSON.stringify(lean), {
    alphabetize: false,
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  })
  return HEAD + astToString(nodes)
}

/** Keeps the first response of success. Parameters by reference are headers. */
function leanOperation({ responses, parameters = [], ...operation }: DocumentOperation) {
  const [status = '204', { description = '', content = {} } = {}] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  return {
    ...operation,
    parameters: parameters.filter((parameter) => parameter.in === 'path' || parameter.in === 'query'),
    responses: { [status]: { description, content: mapValues(content, ({ schema }) => ({ schema })) } },
  }
}

function mapValues<Value, Result>(record: Record<string, Value>, change: (value: Value) => Result): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
