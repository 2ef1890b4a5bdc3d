import { ApiError } from '@earshot/contracts'
import { once } from '../http/once.ts'
import { type Representation, represent } from '../http/representation.ts'

const YAML_TYPE = /^(application|text)\/((x-)?yaml|vnd\.oai\.openapi(\+yaml)?)$/
const JSON_TYPE = /^(\*|application)\/(\*|json|vnd\.oai\.openapi\+json)$/

export type Format = 'json' | 'yaml'

/** Returns the document in both formats, built once, on first use. */
export function formatsOf(document: () => Promise<object>): Record<Format, () => Promise<Representation>> {
  return {
    json: once(async () => represent('application/json; charset=utf-8', JSON.stringify(await document()))),
    yaml: once(async () => {
      const { stringify } = await import('yaml')
      // Many OpenAPI tools do not support YAML aliases.
      return represent('application/yaml; charset=utf-8', stringify(await document(), { aliasDuplicateObjects: false, lineWidth: 0 }))
    }),
  }
}

/** Chooses the format: `?format=`, else the preferred type of `Accept`, else JSON. */
export function chooseFormat(format: unknown, accept: string | undefined): Format {
  if (format === 'json' || format === 'yaml') return format
  if (format !== undefined) {
    throw new ApiError('validation_error', { errors: [{ field: 'format', code: 'invalid_value', detail: 'must be json or yaml' }] })
  }
  const types = (accept ?? '').split(',').map(readType)
  return qualityOf(types, YAML_TYPE) > qualityOf(types, JSON_TYPE) ? 'yaml' : 'json'
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

function qualityOf(types: readonly AcceptedType[], wanted: RegExp): number {
  // A client that names a YAML type wants it, so wildcards count half.
  return Math.max(
    0,
    ...types.filter(({ type }) => wanted.test(type)).map(({ type, quality }) => (type.includes('*') ? quality / 2 : quality)),
  )
}
