import type { oas31 } from 'zod-openapi'
import { isList, parameterNamed, restParts, type SampleCall } from './call.ts'
import { LINE_WIDTH, literalOf, PYTHON } from './literal.ts'

/** Returns a call with the Python package. It reads the token from the variable EARSHOT_TOKEN. */
export function pythonSample(call: SampleCall): string {
  const { stream, access, status } = call.named.operation
  const method = `client.${methodOf(call)}`
  const isPaged = isList(call)
  const args = [...(isPaged ? [method] : []), ...argumentsOf(call)]
  const [start, end] = aroundCall(isPaged || stream !== false, status === 204)
  const called = `${start}${isPaged ? 'iterate' : method}(`
  const line = `${called}${args.join(', ')})${end}`
  const text = line.length <= LINE_WIDTH && !line.includes('\n') ? line : `${called}\n${args.map((arg) => `    ${arg},\n`).join('')})${end}`
  const client = `client = Earshot("${call.baseUrl}"${access === 'credential' ? '' : ', token=""'})`
  return `${importsOf(text, isPaged)}\n${client}\n${text}${isPaged || stream ? '\n    print(item)' : ''}`
}

function aroundCall(isWalked: boolean, isSilent: boolean): [start: string, end: string] {
  if (isWalked) return ['for item in ', ':']
  return isSilent ? ['', ''] : ['print(', ')']
}

/** One attribute per resource, and one method for each operation: `public_keys.create`, `me.tokens_list`. */
function methodOf({ named: { words, operationId } }: SampleCall): string {
  const resource = (words[0] ?? '').replaceAll('-', '_')
  return `${resource}.${operationId.slice(resource.length + 1)}`
}

function argumentsOf(call: SampleCall): string[] {
  const { named, input } = call
  const { pathFields, queryFields, headerFields } = named.operation
  const { body } = restParts(call)
  const given = (names: Iterable<string>) => [...names].filter((name) => name in input)
  return [
    ...given(pathFields).map((name) => argument(call, name)),
    ...given(queryFields).map((name) => `${keyword(name)}=${argument(call, name)}`),
    ...given(headerFields.keys()).map((name) => `${snakeCase(headerFields.get(name) ?? '')}=${JSON.stringify(input[name])}`),
    ...(body && Object.keys(body).length > 0 ? [`body=${modelOf(call, body)}`] : []),
  ]
}

function modelOf({ named: { operationId } }: SampleCall, body: Record<string, unknown>): string {
  const name = operationId.replaceAll(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())
  const start = `models.${name}Request.from_dict(`
  return `${start}${literalOf(body, PYTHON, { before: start.length + '    body=),'.length, margin: '    ' })})`
}

function argument(call: SampleCall, name: string): string {
  return typed(call.input[name], parameterNamed(call, name)?.schema ?? {})
}

/** A value in the type of its parameter. A parameter that refers to a schema is an enum. */
function typed(value: unknown, schema: oas31.SchemaObject | oas31.ReferenceObject): string {
  const { $ref, format, items } = schema as { $ref?: string } & oas31.SchemaObject
  if (Array.isArray(value)) return `[${value.map((item) => typed(item, items ?? {})).join(', ')}]`
  const text = literalOf(value, PYTHON)
  if ($ref !== undefined) return `models.${$ref.split('/').at(-1)}(${text})`
  if (format === 'uuid') return `UUID(${text})`
  // Python before 3.11 does not read the Z.
  return format === 'date-time' ? `datetime.fromisoformat(${text.replace(/Z"$/, '+00:00"')})` : text
}

function importsOf(text: string, isPaged: boolean): string {
  const names = ['Earshot', ...(isPaged ? ['iterate'] : []), ...(text.includes('models.') ? ['models'] : [])]
  const standard = [
    ...(text.includes('datetime.') ? ['from datetime import datetime\n'] : []),
    ...(text.includes('UUID(') ? ['from uuid import UUID\n'] : []),
  ]
  return `${standard.join('')}${standard.length > 0 ? '\n' : ''}from earshot import ${names.join(', ')}\n`
}

/** `from` is a word of the language. */
function keyword(name: string): string {
  return name === 'from' ? 'from_' : name
}

function snakeCase(header: string): string {
  return header.toLowerCase().replaceAll('-', '_')
}
