import { ApiError } from '@earshot/contracts'
import { stringify } from 'yaml'
import { type Representation, represent } from './representation.ts'

const YAML_TYPE = /^(application|text)\/((x-)?yaml|vnd\.oai\.openapi(\+yaml)?)$/
const JSON_TYPE = /^(\*|application)\/(\*|json|vnd\.oai\.openapi\+json)$/

export type Format = 'json' | 'yaml'

/** The document in both formats, built and written out when it is first asked for, once. */
export function formatsOf(document: () => object): Record<Format, () => Representation> {
  return {
    json: once(() => represent('application/json; charset=utf-8', JSON.stringify(document()))),
    // Aliases would save space, but many readers of OpenAPI do not know them.
    yaml: once(() => represent('application/yaml; charset=utf-8', stringify(document(), { aliasDuplicateObjects: false, lineWidth: 0 }))),
  }
}

/** What the caller asks for: `?format=` first, then the type of `Accept` that is liked best; JSON in doubt. */
export function chooseFormat(format: unknown, accept: string | undefined): Format {
  if (format === 'json' || format === 'yaml') return format
  if (format !== undefined) {
    throw new ApiError('validation_error', { errors: [{ field: 'format', code: 'invalid_value', detail: 'must be json or yaml' }] })
  }
  const types = (accept ?? '').split(',').map(readType)
  return liking(types, YAML_TYPE) > liking(types, JSON_TYPE) ? 'yaml' : 'json'
}

interface AcceptedType {
  type: string
  quality: number
}

function readType(text: string): AcceptedType {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  return { type, quality: Number(quality) || 0 }
}

function liking(types: readonly AcceptedType[], wanted: RegExp): number {
  // A YAML type that is named at all is meant, so `*/*` beside it counts for less.
  return Math.max(
    0,
    ...types.filter(({ type }) => wanted.test(type)).map(({ type, quality }) => (type.includes('*') ? quality / 2 : quality)),
  )
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
