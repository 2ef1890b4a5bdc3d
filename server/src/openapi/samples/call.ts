import type { NamedOperation } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'

/** A call that a sample shows: an operation with the input of its recorded example. */
export interface SampleCall {
  named: NamedOperation
  /** Path, query, header and body fields side by side. */
  input: Readonly<Record<string, unknown>>
  /** The parameters of the operation in the document. */
  parameters: readonly (oas31.ParameterObject | oas31.ReferenceObject)[]
  /** The service's URL, without a trailing slash. */
  baseUrl: string
}

/** The input as REST sends it. */
interface RestParts {
  /** The path with its fields filled in. */
  path: string
  /** The query with its `?`, or nothing. */
  query: string
  /** Headers of the input, by their names. */
  headers: readonly (readonly [name: string, value: string])[]
  /** The fields of the body; `undefined` where the operation takes none. */
  body: Record<string, unknown> | undefined
}

/** Splits the input into the parts of a request. */
export function restParts({ named: { operation }, input }: SampleCall): RestParts {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(input[name])))
  const given = [...operation.queryFields].filter((name) => name in input)
  const query = new URLSearchParams(given.flatMap((name) => [input[name]].flat().map((value): [string, string] => [name, String(value)])))
  const headers = [...operation.headerFields].map(([name, header]) => [header, String(input[name])] as const)
  return {
    path,
    query: query.size > 0 ? `?${query}` : '',
    headers,
    body: operation.bodyFields.size > 0 ? bodyOf(operation.bodyFields, input) : undefined,
  }
}

/** Whether the operation returns a page of a list, which clients walk to its end. */
export function isList({ named: { operation } }: SampleCall): boolean {
  const { method, output } = operation
  return method === 'GET' && 'shape' in output && ['results', 'next_cursor'].every((name) => name in Object(output.shape))
}

/** Returns a parameter of the document by its name; `undefined` for one that operations share. */
export function parameterNamed({ parameters }: SampleCall, name: string): oas31.ParameterObject | undefined {
  return parameters.find((parameter): parameter is oas31.ParameterObject => 'name' in parameter && parameter.name === name)
}

function bodyOf(names: ReadonlySet<string>, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.has(name)))
}
