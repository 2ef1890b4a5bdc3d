import { type CallOptions, type Client, type ClientOptions, createClient, type Export } from '@earshot/contracts/client'
import { accountOf } from './account.ts'
import { authorizedFetch } from './authorized-fetch.ts'
import type { Operation } from './operation.ts'
import type { Terminal } from './terminal.ts'

/** The output of an operation; a list also yields its pages. */
interface CallResult extends Promise<unknown> {
  pages(): AsyncIterable<unknown>
}

/** Creates a client of the account of this terminal. */
export function connect(terminal: Terminal): Client {
  return createClient(clientOptions(terminal))
}

/** Returns the address and the credential of the service. */
export function clientOptions(terminal: Terminal): ClientOptions {
  const account = accountOf(terminal)
  const options = { baseUrl: account.url, userAgent: 'earshot-cli' }
  return account.token === undefined ? { ...options, fetch: authorizedFetch(account) } : { ...options, token: account.token }
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
