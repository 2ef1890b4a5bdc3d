import { defined, type ResponsesSearch } from '../address.ts'
import { npsBounds } from './nps-bounds.ts'

/** Returns the filters of `responses.list` and `responses.export`. */
export function listInput({ group, q, version, response: _response, ...filters }: ResponsesSearch) {
  return defined({ ...filters, ...(group !== undefined && npsBounds[group]), search: q, survey_version: version })
}

/** The query of an address with these filters. */
export function queryOf(input: ReturnType<typeof listInput>, format: 'csv' | 'ndjson'): string {
  const pairs = Object.entries({ ...input, format }).map(([name, value]) => [name, String(value)])
  return new URLSearchParams(pairs).toString()
}
