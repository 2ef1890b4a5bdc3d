import { contracts, listOperations, type NamedOperation } from '@earshot/contracts'
import { buildDocument } from '../../server/src/openapi/document.ts'
import recorded from '../../server/src/openapi/examples.json' with { type: 'json' }
import { isObject, type Json, listAt, operationsOf } from './read-document.ts'

/** A request as a server receives it. */
interface ReceivedRequest {
  method: string
  path: string
  headers: Readonly<Record<string, unknown>>
  body: string
}

export interface DocumentedOperation {
  named: NamedOperation
  documented: Json
  /** The input of the recorded example. */
  input: Readonly<Record<string, unknown>>
}

const inputs: Readonly<Record<string, { input: Readonly<Record<string, unknown>> }>> = recorded

/** Every operation as the document of a service at an address describes it. */
export function documentedOperations(baseUrl: string): DocumentedOperation[] {
  const document: unknown = JSON.parse(JSON.stringify(buildDocument(contracts, { baseUrl, version: '0.0.0' })))
  const all = operationsOf(isObject(document) ? document : {})
  return listOperations(contracts).map((named) => ({
    named,
    documented: all.get(`${named.operation.method} ${named.operation.path}`) ?? {},
    input: inputs[named.operationId]?.input ?? {},
  }))
}

/** Returns the source of a sample by its label. */
export function sampleOf({ documented }: DocumentedOperation, label: string): string | undefined {
  const sample = listAt(documented, 'x-codeSamples').find((candidate) => isObject(candidate) && candidate.label === label)
  return isObject(sample) ? String(sample.source) : undefined
}

/** What a call with the example's input sends: fields in the path, the query, headers and the body. */
export function expectedRequest({ named: { operation }, input }: DocumentedOperation) {
  const { method, path, pathFields, queryFields, bodyFields, headerFields, access } = operation
  const fieldsIn = (names: ReadonlySet<string>) => Object.entries(input).filter(([name]) => names.has(name))
  const filled = fieldsIn(pathFields).reduce((text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))), path)
  const headers = [...headerFields].map(([name, header]) => [header.toLowerCase(), input[name]])
  return {
    method,
    path: filled,
    query: fieldsIn(queryFields)
      .flatMap(([name, value]) => [value].flat().map((one) => `${name}=${one}`))
      .sort(),
    headers: Object.fromEntries([...headers, ...(access === 'credential' ? [['authorization', 'Bearer svc_sample']] : [])]),
    body: Object.fromEntries(fieldsIn(bodyFields)),
  }
}

/** The same parts of a request that arrived. */
export function partsOf({ method, path, headers, body }: ReceivedRequest) {
  const { pathname, search } = new URL(path, 'http://localhost')
  const shown = ['authorization', 'x-upload-token'].filter((name) => headers[name] !== undefined)
  return {
    method,
    path: pathname,
    query: queryOf(search),
    headers: Object.fromEntries(shown.map((name) => [name, headers[name]])),
    body: body === '' ? {} : JSON.parse(body),
  }
}

/** Without the format of an export: the clients of this repository always name it. */
function queryOf(search: string): string[] {
  const fields = [...new URLSearchParams(search)].map(([name, value]) => `${name}=${value}`)
  return fields.filter((field) => field !== 'format=ndjson').sort()
}
