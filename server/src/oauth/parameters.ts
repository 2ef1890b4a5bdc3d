import type { FastifyRequest } from 'fastify'
import { OAuthRefusal } from './refusal.ts'

/** Parameters of a request, with one value each. An empty one counts as absent (RFC 6749 §3.2). */
export type Parameters = Readonly<Partial<Record<string, string>>>

/** The known parameters. All others are ignored (RFC 6749 §3.2). */
const KNOWN = new Set([
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'device_code',
  'grant_type',
  'redirect_uri',
  'refresh_token',
  'resource',
  'scope',
  'token',
  'token_type_hint',
])

/** The characters that RFC 6749 appendix A allows in each. */
const VISIBLE = /^[\x20-\x7e]*$/

/** Reads the parameters from a body, which is a form or a flat JSON object. Throws `invalid_request`. */
export function readParameters({ body = {}, query }: FastifyRequest): Parameters {
  // Addresses end up in logs and browser histories (RFC 6749 §2.3.1).
  const misplaced = Object.keys(query as object).find((name) => KNOWN.has(name))
  if (misplaced !== undefined) throw wrong(`${misplaced} must be sent in the body.`)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw wrong('The body must be a form or a JSON object.')
  const parameters: Partial<Record<string, string>> = Object.create(null)
  for (const [name, value] of Object.entries(body)) {
    if (!KNOWN.has(name)) continue
    if (typeof value !== 'string' || !VISIBLE.test(value)) throw wrong(`${name} must be a string of printable ASCII characters.`)
    if (value !== '') parameters[name] = value
  }
  return parameters
}

/** Returns a parameter. Throws `invalid_request` when it is absent. */
export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters[name]
  if (value === undefined) throw wrong(`${name} is missing.`)
  return value
}

/** Returns the names in the `scope` parameter, or null without one. */
export function readScope({ scope }: Parameters): string[] | null {
  const names = scope?.split(' ').filter(Boolean) ?? []
  return names.length === 0 ? null : [...new Set(names)]
}

function wrong(detail: string): OAuthRefusal {
  return new OAuthRefusal('invalid_request', { detail })
}
