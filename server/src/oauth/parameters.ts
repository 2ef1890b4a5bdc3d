import type { FastifyRequest } from 'fastify'
import { OAuthRefusal } from './refusal.ts'

/** Parameters of a request, one text each; absent and empty are the same (RFC 6749 §3.2). */
export type Parameters = Readonly<Partial<Record<string, string>>>

/** What of a request is ours to read; all else is ignored (RFC 6749 §3.2). */
const KNOWN = new Set([
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'device_code',
  'grant_type',
  'redirect_uri',
  'refresh_token',
  'scope',
  'token',
  'token_type_hint',
])

/** The characters that RFC 6749 appendix A gives to each of them. */
const VISIBLE = /^[\x20-\x7e]*$/

/** Reads the body of a request, a form or a flat JSON object alike. Throws `invalid_request`. */
export function readParameters({ body = {}, query }: FastifyRequest): Parameters {
  // In an address it would stand in logs and histories (RFC 6749 §2.3.1).
  const misplaced = Object.keys(query as object).find((name) => KNOWN.has(name))
  if (misplaced !== undefined) throw wrong(`${misplaced} belongs in the body.`)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw wrong('The body must be a form or a JSON object.')
  const parameters: Partial<Record<string, string>> = Object.create(null)
  for (const [name, value] of Object.entries(body)) {
    if (!KNOWN.has(name)) continue
    if (typeof value !== 'string' || !VISIBLE.test(value)) throw wrong(`${name} must be a text of visible ASCII characters.`)
    if (value !== '') parameters[name] = value
  }
  return parameters
}

/** Throws `invalid_request` for one that is absent. */
export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters[name]
  if (value === undefined) throw wrong(`${name} is missing.`)
  return value
}

/** The names in a `scope` parameter; null without one. */
export function readScope({ scope }: Parameters): string[] | null {
  const names = scope?.split(' ').filter(Boolean) ?? []
  return names.length === 0 ? null : [...new Set(names)]
}

function wrong(detail: string): OAuthRefusal {
  return new OAuthRefusal('invalid_request', { detail })
}
