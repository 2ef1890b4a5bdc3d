import type { oas31 } from 'zod-openapi'
import { parameterNamed, restParts, type SampleCall } from './call.ts'

/** Returns a call with the client that oapi-codegen generates by the settings of the Go module. */
export function goSample(call: SampleCall): string {
  const { operation } = call.named
  const token = operation.access === 'credential' ? 'os.Getenv("EARSHOT_TOKEN")' : '""'
  const { body } = restParts(call)
  const method = `${pascalCase(call.named.operationId)}${body ? 'WithBody' : ''}${operation.stream ? '' : 'WithResponse'}`
  return `client, err := api.NewClientWithResponses("${call.baseUrl}", api.WithHTTPClient(earshot.NewDoer(${token})))
if err != nil {
	log.Fatal(err)
}
${operation.status === 204 ? '_, err =' : 'response, err :='} client.${method}(${argumentsOf(call)})
if err != nil {
	log.Fatal(err)
}${useOf(call)}`
}

function useOf({ named: { operation } }: SampleCall): string {
  if (operation.stream) return '\ndefer response.Body.Close()\nio.Copy(os.Stdout, response.Body)'
  return operation.status === 204 ? '' : `\nfmt.Printf("%+v\\n", *response.JSON${operation.status})`
}

function argumentsOf(call: SampleCall): string {
  const { named, input, parameters } = call
  const { pathFields } = named.operation
  const { body } = restParts(call)
  const hasParams = parameters.some((parameter) => !('name' in parameter) || parameter.in !== 'path')
  const args = [
    'ctx',
    ...[...pathFields].map((name) => typed(input[name], parameterNamed(call, name)?.schema ?? {})),
    ...(hasParams ? [paramsOf(call)] : []),
    ...(body ? ['"application/json"', `strings.NewReader(${rawText(JSON.stringify(body))})`] : []),
  ]
  return args.length <= 2 ? args.join(', ') : `\n${args.map((arg) => `\t${arg},\n`).join('')}`
}

/** Query and headers. What is optional is a pointer. */
function paramsOf(call: SampleCall): string {
  const { named, input } = call
  const { queryFields, headerFields, operationId } = { ...named, ...named.operation }
  const fields = [...queryFields, ...headerFields.keys()].filter((name) => name in input)
  if (fields.length === 0) return 'nil'
  const values = fields.map((name) => {
    const wireName = headerFields.get(name) ?? name
    const { schema = {}, required = false } = parameterNamed(call, wireName) ?? {}
    const value = typed(input[name], schema)
    return `${pascalCase(wireName)}: ${required ? value : `new(${value})`}`
  })
  return `&api.${pascalCase(operationId)}Params{${values.join(', ')}}`
}

/** A value in the type of its parameter. A parameter that refers to a schema is an enum. */
function typed(value: unknown, schema: oas31.SchemaObject | oas31.ReferenceObject): string {
  const { $ref, format, items } = schema as { $ref?: string } & oas31.SchemaObject
  if (Array.isArray(value)) return `[]${typeName(items ?? {})}{${value.map((item) => typed(item, items ?? {})).join(', ')}}`
  const text = JSON.stringify(value)
  if ($ref !== undefined) return `${typeName(schema)}(${text})`
  if (format === 'uuid') return `uuid.MustParse(${text})`
  return format === 'date-time' ? timeOf(String(value)) : text
}

function typeName(schema: oas31.SchemaObject | oas31.ReferenceObject): string {
  const { $ref } = schema as { $ref?: string }
  return $ref === undefined ? 'string' : `api.${$ref.split('/').at(-1)}`
}

function timeOf(text: string): string {
  const at = new Date(text)
  const day = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()]
  const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds(), at.getUTCMilliseconds() * 1_000_000]
  return `time.Date(${[...day, ...time].join(', ')}, time.UTC)`
}

function rawText(text: string): string {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``
}

/** oapi-codegen's spelling: `X-Upload-Token` is `XUploadToken`. */
function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[_-])(\w)/g, (_match, letter: string) => letter.toUpperCase())
}
