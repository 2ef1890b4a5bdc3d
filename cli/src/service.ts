import { type CallOptions, type Client, type ClientOptions, createClient, type Export } from '@earshot/contracts/client'
import type { Operation } from './operation.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const DEFAULT_URL = 'http://localhost:8000'

/** The token is missing or malformed. */
export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError'
}

/** The output of an operation; a list also yields its pages. */
interface CallResult extends Promise<unknown> {
  pages(): AsyncIterable<unknown>
}

/** Creates a client from EARSHOT_URL and EARSHOT_TOKEN. */
export function connect(terminal: Terminal): Client {
  return createClient(clientOptions(terminal))
}

/** Returns the address and the credential of the service. */
export function clientOptions(terminal: Terminal): ClientOptions {
  const { env } = terminal
  const baseUrl = serviceUrl(terminal)
  if (!/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : ''))
    throw new UsageError(`EARSHOT_URL must be an http or https address, not ${baseUrl}`)
  const token = env.EARSHOT_TOKEN?.trim()
  if (!token) throw new NotSignedInError('EARSHOT_TOKEN is not set')
  if (!/^[!-~]+$/.test(token)) throw new NotSignedInError('EARSHOT_TOKEN contains invalid characters')
  return { baseUrl, token, userAgent: 'earshot-cli' }
}

/** Returns the address of the service. */
export function serviceUrl({ env }: Terminal): string {
  return env.EARSHOT_URL || DEFAULT_URL
}

/** Calls an operation by its name. */
export function call(client: Client, operation: Operation, input: object, options: CallOptions): CallResult {
  // Proven: the client has a method for each operation, and pages() on each list.
  return (methodOf(client, operation) as (input: object, options: CallOptions) => CallResult)(input, options)
}

/** Returns the records of an export by its name. */
export function exportFrom(client: Client, operation: Operation, input: object): Export<object> {
  return (methodOf(client, operation) as (input: object) => Export<object>)(input) // Proven by `stream: 'records'`.
}

function methodOf(client: Client, { name }: Operation): unknown {
  let node: unknown = client
  for (const key of name.split('.')) node = (node as Record<string, unknown>)[key]
  return node
}
