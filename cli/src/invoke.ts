import { type CallOptions, type Client, EarshotConnectionError } from '@earshot/contracts/client'
import { sizes } from '@earshot/contracts/constants'
import { isRequestBody, readBody } from './body.ts'
import { applyFlags, type Flag, missingFlags } from './flags.ts'
import type { Operation } from './operation.ts'
import { openOutput } from './output.ts'
import { isPage } from './page.ts'
import { parentFlag, pathFieldsOf } from './path-fields.ts'
import { readOutput } from './schema-node.ts'
import { call, connect, serviceUrl } from './service.ts'
import { findTeamAndProject } from './team-and-project.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

type Input = Record<string, unknown>

/** A command line that commander has parsed. */
export interface Invocation {
  operation: Operation
  flags: readonly Flag[]
  terminal: Terminal
  /** Flags by commander's name. */
  given: Readonly<Record<string, unknown>>
  positional: string | undefined
}

/** Calls the operation and prints its result. Throws a UsageError for a wrong command line before anything is sent. */
export async function invoke(invocation: Invocation): Promise<void> {
  const { operation, given } = invocation
  const isCounted = given.all && invocation.terminal.progressStream
  using counter = isCounted ? (await import('./page-counter.ts')).startCounter(invocation) : undefined
  const { terminal } = counter ?? invocation
  const output = await openOutput({ operation, terminal, schema: readOutput(operation), given })
  const options = callOptionsOf(given)
  const { client, input } = await prepare(invocation)
  const result = call(client, operation, input, options)
  if (!given.all) await output.add(requireShape(await result, invocation))
  else
    for await (const page of result.pages()) {
      await output.add(requireShape(page, invocation))
      counter?.count(page)
    }
  await output.end()
}

/** Returns the result. Throws where none of its fields is one of the operation: another service responded. */
export function requireShape(result: unknown, { operation, terminal }: Pick<Invocation, 'operation' | 'terminal'>): unknown {
  const names = readOutput(operation)
    .properties()
    .map(([name]) => name)
  const isPlain = typeof result === 'object' && result !== null
  const isEmpty = isPlain && !Array.isArray(result) && Object.keys(result).length === 0
  const fits = isEmpty || (operation.pages ? isPage(result) : isPlain && names.some((name) => name in result))
  if (result === undefined || names.length === 0 || fits) return result
  throw new EarshotConnectionError(`${serviceUrl(terminal)} responded with JSON that is not of Earshot.`)
}

/** Connects, and reads the input from the command line. Throws a UsageError for a wrong one before anything is sent. */
export async function prepare(invocation: Invocation): Promise<{ client: Client; input: Input }> {
  const { operation, terminal, given } = invocation
  const ids = idsOf(invocation)
  const fields = await fieldsOf(invocation)
  const client = connect(terminal)
  const { needsTeam, needsProject } = pathFieldsOf(operation)
  const asked = { needsTeam, needsProject, ...textOf(given, 'team'), ...textOf(given, 'project') }
  return { client, input: { ...fields, ...(await findTeamAndProject(client, asked, terminal)), ...ids } }
}

function idsOf({ operation, given, positional: argument }: Invocation): Input {
  const { positional, parents } = pathFieldsOf(operation)
  const ids = Object.fromEntries(parents.map((field) => [field, given[parentFlag(field).slice(2)]]))
  if (positional) ids[positional] = argument
  for (const [field, id] of Object.entries(ids)) {
    if (id === '' || id === '.' || id === '..') throw new UsageError(`${field.replaceAll('_', ' ')} is empty`)
  }
  return ids
}

async function fieldsOf({ operation, flags, terminal, given }: Invocation): Promise<Input> {
  const hasBodyField = flags.some(({ field }) => field === 'body')
  const isRequest = typeof given.body === 'string' && (!hasBodyField || isRequestBody(given.body))
  const body = isRequest ? await readBody(String(given.body), terminal) : {}
  const inPath = Object.keys(body).find((name) => operation.pathFields.has(name))
  if (inPath) throw new UsageError(`--body must not contain ${inPath}: it is part of the path`)
  const fields = applyFlags(body, flags, isRequest ? { ...given, body: undefined } : given)
  const missing = missingFlags(fields, flags)
  if (missing.length > 0)
    throw new UsageError(`missing required ${missing.length === 1 ? 'flag' : 'flags'}: ${missing.map(({ name }) => name).join(', ')}`)
  return given.all && operation.pages ? { limit: sizes.pageItems, ...fields } : fields
}

function callOptionsOf({ idempotencyKey }: Readonly<Record<string, unknown>>): CallOptions {
  return typeof idempotencyKey === 'string' ? { idempotencyKey: requireKey(idempotencyKey) } : {}
}

/** Returns the key of `--idempotency-key`. Throws a UsageError when it cannot be one. */
export function requireKey(key: string): string {
  if (!/^[ -~]{1,255}$/.test(key)) throw new UsageError('--idempotency-key must be 1 to 255 printable ASCII characters')
  return key
}

function textOf(given: Readonly<Record<string, unknown>>, name: string): Record<string, string> {
  const value = given[name]
  return typeof value === 'string' ? { [name]: value } : {}
}
