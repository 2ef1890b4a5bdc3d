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
export function connect({ env }: Terminal): Client {
  const baseUrl = env.EARSHOT_URL || DEFAULT_URL
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) throw new UsageError(`EARSHOT_URL is no http or https address: ${baseUrl}`)
  const token = env.EARSHOT_TOKEN?.trim()
  if (!token) throw new NotSignedInError('EARSHOT_TOKEN is not set')
  if (!/^[!-~]+$/.test(token)) throw new NotSignedInError('EARSHOT_TOKEN holds characters that no token has')
  return createClient({ baseUrl, token, userAgent: 'earshot-cli' })
}

/** Calls the operation that has this place in the tree. */
export function call(client: Client, { name }: NamedOperation, input: object, options: CallOptions): Answer {
  let node: unknown = client
  for (const key of name.split('.')) node = (node as Record<string, unknown>)[key]
  // Proven: the client has a method at the place of each operation, and pages() on each list.
  return (node as (input: object, options: CallOptions) => Answer)(input, options)
}
