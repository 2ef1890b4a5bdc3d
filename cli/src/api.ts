import { EarshotConnectionError, EarshotTimeoutError } from '@earshot/contracts/client'
import { fieldsOf, nested, queryOf, sourceText } from './api-fields.ts'
import { jsonPagesOutput } from './json-output.ts'
import { isPage } from './page.ts'
import { jsonText, printable } from './printable.ts'
import { clientOptions, connect } from './service.ts'
import { findTeamAndProject } from './team-and-project.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const LIMIT_MS = 120_000
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Methods whose fields are a query. */
const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE', 'OPTIONS']
const REFUSED = 1
const NOT_SIGNED_IN = 3
const NOT_REACHABLE = 4

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
  return flags.paginate ? printPages(request, terminal) : print(await send(request, terminal), terminal, flags.include === true)
}

async function requestOf({ method, path }: { method: string; path: string }, flags: ApiFlags, terminal: Terminal): Promise<Request> {
  const { baseUrl, token, userAgent } = clientOptions(terminal)
  const read = (name: string) => sourceText(name, terminal)
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
      ...(method === 'POST' && { 'idempotency-key': flags.idempotencyKey ?? crypto.randomUUID() }),
    },
    flags.header ?? [],
  )
  const address = addressOf(await filled(path, flags, terminal), new URL(baseUrl))
  if (WITHOUT_BODY.includes(method) || flags.input !== undefined)
    for (const [name, value] of queryOf(fields)) address.searchParams.append(name, value)
  return { address, init: { method, headers, redirect: 'manual', ...(body !== undefined && { body }) } }
}

async function bodyOf(method: string, fields: [string, unknown][], { input }: ApiFlags, terminal: Terminal): Promise<string | undefined> {
  if (input !== undefined && (method === 'GET' || method === 'HEAD')) throw new UsageError(`--input: a ${method} has no body`)
  if (input !== undefined) return sourceText(input, terminal)
  return WITHOUT_BODY.includes(method) ? undefined : JSON.stringify(nested(fields))
}

function headersOf(own: Record<string, string>, given: readonly string[]): Headers {
  const headers = new Headers(own)
  for (const text of given) {
    const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? []
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
    if (error instanceof DOMException && error.name === 'TimeoutError') throw new EarshotTimeoutError(LIMIT_MS)
    const { cause } = error as Error // fetch throws no other.
    throw new EarshotConnectionError(`${address.origin} is not reachable: ${cause instanceof Error ? cause.message : error}.`)
  }
}

async function print(response: Response, terminal: Terminal, hasHead: boolean): Promise<number> {
  const text = await response.text()
  const body = parse(text)
  const lines = [`HTTP ${response.status}`, ...[...response.headers].map(([name, value]) => `${name}: ${value}`)]
  if (hasHead) terminal.writeOut(`${printable(lines.join('\n'))}\n\n`)
  const isShown = terminal.columns !== undefined && text !== ''
  await terminal.writeAll(isShown ? `${body === undefined ? printable(text) : jsonText(body)}\n` : text)
  if (response.ok) return 0
  const { code, detail } = Object(body) as { code?: unknown; detail?: unknown } // Anything may come.
  const isService = typeof code === 'string'
  terminal.writeError(printable(`error: ${isService ? `${detail} (${code})` : `the response is ${response.status}, and not of Earshot`}\n`))
  if (response.status === 401) return NOT_SIGNED_IN
  return isService ? REFUSED : NOT_REACHABLE
}

/** Prints all pages as one document. A feed, whose cursor is never null, ends with an empty page. */
async function printPages(request: Request, terminal: Terminal): Promise<number> {
  const output = jsonPagesOutput(terminal)
  const address = new URL(request.address)
  while (true) {
    const response = await send({ ...request, address }, terminal)
    const page = response.ok ? parse(await response.clone().text()) : undefined
    if (!isPage(page)) return print(response, terminal, false)
    await output.add(page)
    const isEndOfFeed = page.results.length === 0 && page.next_cursor === address.searchParams.get('cursor')
    if (!page.next_cursor || isEndOfFeed) break
    address.searchParams.set('cursor', page.next_cursor)
  }
  await output.end()
  return 0
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
