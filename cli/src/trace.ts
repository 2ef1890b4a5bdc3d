import { printable } from './printable.ts'
import type { Terminal } from './terminal.ts'

const MASK = '***'
/** Names of headers, query parameters and fields whose value is secret, or leads to one: `upload.token`, `otpauth_url`, the `headers` of an endpoint. */
const SECRET_NAME =
  /authorization|cookie|password|secret|token|otp|recovery|signature|credential|private|^headers$|^sig$|^(device|user)_code$|^(api|access|idempotency)[-_]?key$|^upload-metadata$/i
/** Fields that are named like secrets and tell none. */
const HARMLESS = /(_id|_at|_hint|_seconds|_type|_required)$/
/** Values that are secret wherever they stand: credentials of Earshot, JSON Web Tokens, signing secrets. */
const SECRET_VALUE = /\bsv[cars]_\w{4,}|\bwhs(?:ec|k)_[\w+/=-]{4,}|\beyJ[\w-]{4,}\.[\w-]+\.[\w-]*/g
/** A body of a second factor is its code; the code of an error is none. */
const SECRET_OF_REQUEST = /^code$/
const MAX_BODY = 10_000

/** Fetches, and writes request and response to the standard error, without secrets. */
export async function tracedFetch(terminal: Terminal, ...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const startMs = performance.now()
  const write = (lines: readonly string[]) => terminal.writeError(`${lines.map((line) => printable(masked(line, terminal))).join('\n')}\n`)
  const address = new URL(input instanceof Request ? input.url : input)
  const { method = 'GET', headers, body } = init ?? {}
  write([`> ${method} ${addressText(address)}`, ...headerLines('>', new Headers(headers)), ...bodyLines('>', body, SECRET_OF_REQUEST)])
  try {
    const response = await fetch(input, init)
    const ms = Math.round(performance.now() - startMs)
    // A stream or a file is not held back.
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '') && !/ndjson/.test(response.headers.get('content-type') ?? '')
    const text = isJson ? await response.clone().text() : undefined
    write([`< ${response.status} after ${ms} ms`, ...headerLines('<', response.headers), ...bodyLines('<', text)])
    return response
  } catch (error) {
    const { message, cause } = error as Error // fetch throws no other.
    write([`< ${message}${cause instanceof Error ? `: ${cause.message}` : ''} after ${Math.round(performance.now() - startMs)} ms`])
    throw error
  }
}

function headerLines(sign: string, headers: Headers): string[] {
  return [...headers].map(([name, value]) => `${sign} ${name}: ${isSecret(name) ? MASK : value}`)
}

function bodyLines(sign: string, body: unknown, alsoSecret?: RegExp): string[] {
  if (typeof body !== 'string') return body === undefined || body === null ? [] : [`${sign} (a body that is no text)`]
  const text = maskedJson(body, alsoSecret)
  return [`${sign} ${text.length > MAX_BODY ? `${text.slice(0, MAX_BODY)}… (${text.length} characters)` : text}`]
}

function maskedJson(text: string, alsoSecret?: RegExp): string {
  try {
    const isHidden = (key: string) => isSecret(key) || alsoSecret?.test(key) === true
    const isShown = (key: string, value: unknown) => !isHidden(key) || value === null || isDescription(key, value)
    return JSON.stringify(JSON.parse(text, (key, value) => (isShown(key, value) ? maskedAddress(value) : MASK)))
  } catch {
    return `(${text.length} characters that are no JSON)`
  }
}

/** The `credential` of a response describes one; its secret fields are masked by their own names. */
function isDescription(key: string, value: unknown): boolean {
  return key === 'credential' && typeof value === 'object' && !Array.isArray(value)
}

/** Signed links carry their secret in the query, and addresses of chat services in the path. */
function maskedAddress(value: unknown): unknown {
  if (typeof value !== 'string' || !/^https?:/.test(value) || !URL.canParse(value)) return value
  const url = new URL(value)
  return `${url.origin}/${url.pathname + url.search === '/' ? '' : MASK}`
}

function addressText(address: URL): string {
  const shown = new URL(address)
  for (const name of [...shown.searchParams.keys()]) if (isSecret(name)) shown.searchParams.set(name, MASK)
  shown.username = ''
  shown.password = ''
  return shown.href
}

function isSecret(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS.test(name)
}

/** Masks what is secret by its value, and the token of this command in any place. */
function masked(line: string, { env }: Terminal): string {
  const token = env.EARSHOT_TOKEN?.trim()
  return (token ? line.replaceAll(token, MASK) : line).replaceAll(SECRET_VALUE, MASK)
}
