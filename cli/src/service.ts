import type { NamedOperation } from '@earshot/contracts'
import { type CallOptions, type Client, createClient } from '@earshot/contracts/client'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const DEFAULT_URL = 'http://localhost:8000'

/** There is no token to sign in with. */
export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError'
}

/** The output of an operation; of a list also page after page. */
interface Answer extends Promise<unknown> {
  pages(): AsyncIterable<unknown>
}

/** The client that EARSHOT_URL and EARSHOT_TOKEN ask for. */
export function connect(terminal: Terminal): Client {
  const { env } = terminal
  const baseUrl = serviceUrl(terminal)
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) throw new UsageError(`EARSHOT_URL is no http or https address: ${baseUrl}`)
  const token = env.EARSHOT_TOKEN?.trim()
  if (!token) throw new NotSignedInError('EARSHOT_TOKEN is not set')
  if (!/^[!-~]+$/.test(token)) throw new NotSignedInError('EARSHOT_TOKEN holds characters that no token has')
  return createClient({ baseUrl, token, userAgent: 'earshot-cli' })
}

/** Where the service is. */
export function serviceUrl({ env }: Terminal): string {
  return env.EARSHOT_URL || DEFAULT_URL
}

/** Calls the operation that has this place in the tree. */
export function call(client: Client, { name }: NamedOperation, input: object, options: CallOptions): Answer {
  let node: unknown = client
  for (const key of name.split('.')) node = (node as Record<string, unknown>)[key]
  // Proven: the client has a method at the place of each operation, and pages() on each list.
  return (node as (input: object, options: CallOptions) => Answer)(input, options)
}
