import { ApiError, MASKED_VALUE, problemOfHeaders } from '@earshot/contracts'
import type { ChangeHeaders, Changes, SealedHeaders, WebhookEndpointRow } from '@earshot/db'
import type { InTeam } from '../auth/callers.ts'

const PURPOSE = 'webhook-headers'

type Headers = Readonly<Record<string, string>>
/** Values to set; null removes a header. */
type Patch = Readonly<Record<string, string | null>>

/** Seals headers for their endpoint alone. */
export function sealHeaders({ services }: InTeam, webhookId: string, headers: Headers): SealedHeaders {
  const header_names = Object.keys(headers)
  if (header_names.length === 0) return { header_names, header_values: null }
  return { header_names, header_values: services.secretBox.seal(PURPOSE, JSON.stringify(headers), webhookId).toString('base64') }
}

/** Returns what an update makes of an endpoint's headers. It throws `validation_error`. */
export function headerChange(
  ctx: InTeam,
  { url, headers: patch }: { url?: string | undefined; headers?: Patch | null | undefined },
): ChangeHeaders {
  return (before) => {
    if (url !== undefined && patch !== null) requireAllAgain(before, url, patch)
    if (patch === undefined) return null
    const old = openHeaders(ctx, before)
    const headers = merge(old, patch)
    const problem = problemOfHeaders(headers)
    if (problem !== null) throw wrong('invalid_value', problem)
    return { sealed: sealHeaders(ctx, before.id, headers), changes: changesOf(old, headers) }
  }
}

/** Shows the names of headers, with a mask for each value. */
export function presentHeaders({ header_names }: WebhookEndpointRow): Headers {
  return Object.fromEntries(header_names.map((name) => [name, MASKED_VALUE]))
}

/** Refuses to send headers to an origin that they were not given for: whoever may change `url` need not know their values. */
function requireAllAgain({ url: before, header_names }: WebhookEndpointRow, url: string, patch: Patch = {}): void {
  if (URL.parse(url)?.origin === URL.parse(before)?.origin) return
  const given = new Set(Object.keys(patch).map(lowerCase))
  const rest = header_names.filter((name) => !given.has(lowerCase(name)))
  if (rest.length === 0) return
  const names = rest.join(', ')
  throw wrong('required', `must be given again, or removed with null, when url moves to another origin: ${names}`)
}

function openHeaders({ services }: InTeam, { id, header_values }: WebhookEndpointRow): Headers {
  if (header_values === null) return {}
  // Proven: `sealHeaders` wrote it.
  return JSON.parse(services.secretBox.open(PURPOSE, Buffer.from(header_values, 'base64'), id)) as Headers
}

/** Merges by RFC 7396, but names compare without case. */
function merge(headers: Headers, patch: Patch | null): Headers {
  if (patch === null) return {}
  const given = new Set(Object.keys(patch).map(lowerCase))
  const kept = Object.entries(headers).filter(([name]) => !given.has(lowerCase(name)))
  const set = Object.entries(patch).filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries([...kept, ...set])
}

/** Says which headers were added, removed or given another value; never a value. */
function changesOf(before: Headers, after: Headers): Changes {
  const [old, now] = [valuesByName(before), valuesByName(after)]
  const removed = Object.keys(before).filter((name) => !now.has(lowerCase(name)))
  const changed = [...Object.keys(after), ...removed].filter((name) => old.get(lowerCase(name)) !== now.get(lowerCase(name)))
  const shown = (values: Map<string, string>, name: string) => (values.has(lowerCase(name)) ? MASKED_VALUE : null)
  return Object.fromEntries(changed.map((name) => [`headers.${name}`, { from: shown(old, name), to: shown(now, name) }]))
}

function valuesByName(headers: Headers): Map<string, string> {
  return new Map(Object.entries(headers).map(([name, value]) => [lowerCase(name), value]))
}

function lowerCase(name: string): string {
  return name.toLowerCase()
}

function wrong(code: string, detail: string): ApiError {
  return new ApiError('validation_error', { errors: [{ field: 'headers', code, detail }] })
}
