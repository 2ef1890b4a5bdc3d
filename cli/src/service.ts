import {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Export,
  type Streamed,
  type StreamOptions,
} from '@earshot/contracts/client'
import { accountOf, chosenProfile, DEFAULT_URL, requireAddress } from './account.ts'
import { authorizedFetch } from './authorized-fetch.ts'
import { NotSignedInError } from './not-signed-in.ts'
import { observing } from './observe.ts'
import type { Operation } from './operation.ts'
import type { Terminal } from './terminal.ts'

export const USER_AGENT = 'earshot-cli'

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
  const options = { baseUrl: account.url, userAgent: USER_AGENT }
  const { fetch: send = globalThis.fetch } = observing(terminal)
  const fetch: typeof globalThis.fetch = (...request) =>
    send(...request).then((response) => {
      terminal.serviceVersion = response.headers.get('earshot-version') ?? ''
      return response
    })
  if (account.token === undefined) return { ...options, fetch: authorizedFetch(account, fetch) }
  return { ...options, token: account.token, fetch }
}

/** Returns the address of the service, also of one where nobody is signed in. */
export function serviceUrl(terminal: Terminal): string {
  const { EARSHOT_TOKEN: token, EARSHOT_URL: url } = terminal.env
  try {
    if (!token?.trim()) return chosenProfile(terminal).profile.url
  } catch (error) {
    if (!(error instanceof NotSignedInError)) throw error
  }
  return requireAddress(url || DEFAULT_URL, 'EARSHOT_URL')
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

/** Returns the items of one connection to a stream by its name. */
export function streamFrom(client: Client, operation: Operation, input: object, options: StreamOptions): AsyncIterable<Streamed<object>> {
  const method = methodOf(client, operation) as (input: object, options: StreamOptions) => AsyncIterable<Streamed<object>>
  return method(input, options) // Proven by `stream: 'events'`.
}

function methodOf(client: Client, { name }: Operation): unknown {
  let node: unknown = client
  for (const key of name.split('.')) node = (node as Record<string, unknown>)[key]
  return node
}
