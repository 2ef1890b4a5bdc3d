import { isUtf8 } from 'node:buffer'
import { EarshotConnectionError, EarshotTimeoutError } from '@earshot/contracts/client'
import { fieldsOf, METHODS, nested, queryOf } from './api-fields.ts'
import { ExitCode } from './exit-codes.ts'
import { requireKey } from './invoke.ts'
import { jsonPagesOutput } from './json-output.ts'
import { isPage } from './page.ts'
import { jsonText, printable } from './printable.ts'
import { clientOptions, connect } from './service.ts'
import { readAll, readSource, readText } from './source.ts'
import { findTeamAndProject } from './team-and-project.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const LIMIT_MS = 120_000
/** Methods whose fields are a query. */
const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE', 'OPTIONS']
/** What fetch refuses to send, such as a Content-Length that is not the length. */
const UNSENDABLE = ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']

/** Flags as commander gives them. */
export interface ApiFlags {
  field?: string[]
  rawField?: string[]
  input?: string
  header?: string[]
  paginate?: boolean
  include?: boolean
  idempotencyKey?: string
  team?: string
  project?: string
}

type Body = string | Uint8Array<ArrayBuffer>

interface Request {
  address: URL
  init: RequestInit
}

/** Sends a request as it is described, and prints the response as it is. Returns the exit code. */
export async function callApi(given: { method: string; path: string }, flags: ApiFlags, terminal: Terminal): Promise<number> {
  const method = given.method.toUpperCase()
  if (!METHODS.includes(method)) throw new UsageError(`the method must be one of: ${METHODS.join(', ')}`)
  if (flags.paginate && method !== 'GET') throw new UsageError('--paginate requires GET')
  const request = await requestOf({ method, path: given.path }, flags, terminal)
  return flags.paginate ? printPages(request, terminal) : print(await send(request, terminal), request, terminal, flags.include === true)
}

async function requestOf({ method, path }: { method: string; path: string }, flags: ApiFlags, terminal: Terminal): Promise<Request> {
  const { baseUrl, token, userAgent } = clientOptions(terminal)
  const read = (name: string) => readText(name, terminal)
  const fields = [
    ...(await fieldsOf(flags.field ?? [], { isTyped: true, read })),
    ...(await fieldsOf(flags.rawField ?? [], { isTyped: false, read })),
  ]
  const body = await bodyOf(method, fields, flags, terminal)
  const headers = headersOf(
    {
      ...{ accept: 'application/json', 'user-agent': userAgent ?? '' },
      // The tokens of a profile are added when it is sent.
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': requireKey(flags.idempotencyKey ?? crypto.randomUUID()) }),
    },
    flags.header ?? [],
  )
  const address = addressOf(await filled(path, flags, terminal), new URL(baseUrl))
  if (WITHOUT_BODY.includes(method) || flags.input !== undefined)
    for (const [name, value] of queryOf(fields)) address.searchParams.append(name, value)
  return { address, init: { method, headers, redirect: 'manual', ...(body !== undefined && { body }) } }
}

async function bodyOf(method: string, fields: [string, unknown][], { input }: ApiFlags, terminal: Terminal): Promise<Body | undefined> {
  if (input !== undefined && (method === 'GET' || method === 'HEAD')) throw new UsageError(`--input: a ${method} has no body`)
  if (input !== undefined) return unchanged(await readSource(input, terminal))
  return WITHOUT_BODY.includes(method) ? undefined : JSON.stringify(nested(fields))
}

/** Returns text where the bytes are text, so that --debug shows it. */
function unchanged(bytes: Buffer): Body {
  return isUtf8(bytes) ? bytes.toString('utf8') : Uint8Array.from(bytes)
}

function headersOf(own: Record<string, string>, given: readonly string[]): Headers {
  const headers = new Headers(own)
  for (const text of given) {
    const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? []
    if (name.toLowerCase() === 'authorization')
      throw new UsageError('--header cannot set Authorization, because others can see the flags of a program. Set EARSHOT_TOKEN')
    try {
      headers.set(name, value)
    } catch {
      throw new UsageError('--header must be a name and a value: "Accept: text/csv"')
    }
  }
  return headers
}

/** Puts the team and the project into `{team}` and `{project}`, found as by other commands. */
async function filled(path: string, { team = '', project = '' }: ApiFlags, terminal: Terminal): Promise<string> {
  const needsProject = /\{project(_id)?\}/.test(path)
  const needsTeam = needsProject || /\{team(_id)?\}/.test(path)
  if (!needsTeam) return path
  const ids = await findTeamAndProject(connect(terminal), { needsTeam, needsProject, team, project }, terminal)
  return path
    .replaceAll(/\{team(_id)?\}/g, encodeURIComponent(ids.team_id ?? ''))
    .replaceAll(/\{project(_id)?\}/g, encodeURIComponent(ids.project_id ?? ''))
}

/** The token goes to no other host than that of EARSHOT_URL. */
function addressOf(path: string, base: URL): URL {
  const isAbsolute = /^[a-z][a-z\d+.-]*:|^[/\\]{2}/i.test(path)
  const inService = /^\/?api\//.test(path) ? path.replace(/^\//, '') : `api/v1/${path.replace(/^\//, '')}`
  const text = isAbsolute ? path : `${base.href.replace(/\/+$/, '')}/${inService}`
  const address = URL.canParse(text) ? new URL(text) : undefined
  if (address?.origin !== base.origin || address.username !== '')
    throw new UsageError(`${path} is not of ${base.origin}, and your token goes nowhere else`)
  return address
}

async function send({ address, init }: Request, terminal: Terminal): Promise<Response> {
  const { fetch = globalThis.fetch } = clientOptions(terminal)
  try {
    return await fetch(address, { ...init, signal: AbortSignal.timeout(LIMIT_MS) })
  } catch (error) {
    throw failureOf(error, (reason) => `${address.origin} is not reachable: ${reason}.`)
  }
}

/** Returns what a failure of fetch means; others, such as those of a profile, are unchanged. */
function failureOf(error: unknown, text: (reason: string) => string): unknown {
  if (error instanceof DOMException && error.name === 'TimeoutError') return new EarshotTimeoutError(LIMIT_MS)
  if (!(error instanceof TypeError)) return error
  const { message = error.message, code = '' } = Object(error.cause) as { message?: string; code?: string } // undici names its causes so.
  return UNSENDABLE.includes(code) ? new UsageError(`the request cannot be sent: ${message}`) : new EarshotConnectionError(text(message))
}

/** Yields the bytes of a response. Throws an EarshotConnectionError when it breaks off. */
async function* chunksOf({ body }: Response, address: URL): AsyncGenerator<Uint8Array> {
  try {
    if (body) yield* body
  } catch (error) {
    throw failureOf(error, (reason) => `${address.origin} broke off its response: ${reason}.`)
  }
}

/** Prints a response as it arrives; what a person reads, and a refusal, once it is whole. Returns the exit code. */
async function print(response: Response, { address }: Request, terminal: Terminal, hasHead: boolean): Promise<number> {
  const lines = [`HTTP ${response.status}`, ...[...response.headers].map(([name, value]) => `${name}: ${value}`)]
  if (hasHead) terminal.writeOut(`${printable(lines.join('\n'))}\n\n`)
  const chunks = chunksOf(response, address)
  if (!response.ok || terminal.columns !== undefined) return printWhole(await readAll(chunks), response, terminal)
  for await (const bytes of chunks) await terminal.writeBytes(bytes)
  return ExitCode.success
}

async function printWhole(bytes: Buffer, { ok, status }: Response, terminal: Terminal): Promise<number> {
  const text = new TextDecoder().decode(bytes)
  const body = parse(text)
  if (terminal.columns === undefined) await terminal.writeBytes(bytes)
  else if (text !== '') await terminal.writeAll(`${body === undefined ? printable(text) : jsonText(body)}\n`)
  if (ok) return ExitCode.success
  const { code, detail } = Object(body) as { code?: unknown; detail?: unknown } // Anything may come.
  const isService = typeof code === 'string'
  terminal.writeError(printable(`error: ${isService ? `${detail} (${code})` : `the response is ${status}, and not of Earshot`}\n`))
  if (status === 401) return ExitCode.notSignedIn
  return isService ? ExitCode.refused : ExitCode.notReachable
}

/** Prints all pages as one document. A feed, whose cursor is never null, ends with an empty page. */
async function printPages(request: Request, terminal: Terminal): Promise<number> {
  const output = jsonPagesOutput(terminal)
  const address = new URL(request.address)
  while (true) {
    const response = await send({ ...request, address }, terminal)
    const bytes = await readAll(chunksOf(response, address))
    const page = response.ok ? parse(new TextDecoder().decode(bytes)) : undefined
    if (!isPage(page)) return printWhole(bytes, response, terminal)
    await output.add(page)
    const isEndOfFeed = page.results.length === 0 && page.next_cursor === address.searchParams.get('cursor')
    if (!page.next_cursor || isEndOfFeed) break
    address.searchParams.set('cursor', page.next_cursor)
  }
  await output.end()
  return ExitCode.success
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
