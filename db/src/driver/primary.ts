import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { readServers } from './servers.ts'

/** All servers are asked at once, so one that is gone delays no connection to another. */
const ANSWER_MS = 3_000
const PORT = 5432

/** What is needed of a `DatabaseAddress`. */
interface Address {
  url?: string
}

/** A server of PostgreSQL by its name and port. */
export interface Server {
  host: string
  port: number
}

/** No server of the address accepts writes: the primary is gone, and no standby has been promoted. */
class NoPrimaryError extends Error {
  override name = 'NoPrimaryError'
  readonly code = 'NO_PRIMARY'
}

/** One per address, which all pools of a process share: they look for the primary once, not once per connection. */
const finders = new WeakMap<Address, () => Promise<Server>>()

/**
 * Returns the function that finds the server of an address that accepts writes; null for an address of one server that may be
 * any. The drivers do not do it: `pg` knows one server, and `postgres` never asks the next when the first does not reply.
 */
export function primaryOf(address: Address): (() => Promise<Server>) | null {
  const known = finders.get(address)
  if (known) return known
  const servers = address.url === undefined ? null : readServers(address.url)
  if (!servers?.isPrimaryWanted) return null
  let asking: Promise<Server> | null = null
  const find = () => {
    asking ??= askAll(servers.urls).finally(() => {
      asking = null
    })
    return asking
  }
  finders.set(address, find)
  return find
}

/** Opens a socket to a server. The host is kept with it, because `postgres` compares a certificate with it. */
export async function openSocket({ host, port }: Server, signal?: AbortSignal): Promise<Socket> {
  signal?.throwIfAborted()
  const socket = Object.assign(connect({ host, port }), { host })
  const limit = AbortSignal.timeout(ANSWER_MS)
  try {
    await once(socket, 'connect', { signal: signal ? AbortSignal.any([signal, limit]) : limit })
    return socket
  } catch (error) {
    socket.destroy()
    throw limit.aborted ? Object.assign(new Error(`${host} did not reply in time`), { code: 'CONNECT_TIMEOUT' }) : error
  }
}

async function askAll(urls: readonly string[]): Promise<Server> {
  try {
    return await Promise.any(urls.map(ask))
  } catch (error) {
    // A server that accepts connections says more than one that does not.
    const reasons: unknown[] = error instanceof AggregateError ? error.errors : [error]
    throw reasons.find((reason) => reason instanceof NoPrimaryError) ?? reasons[0]
  }
}

/** Returns the server if it accepts writes. */
async function ask(url: string): Promise<Server> {
  const client = postgres(url, {
    ...{ max: 1, connect_timeout: ANSWER_MS / 1000, fetch_types: false, onnotice: () => {} },
    connection: { application_name: 'earshot server choice' },
  })
  const end = () => client.end({ timeout: 0 })
  const timer = setTimeout(end, ANSWER_MS)
  try {
    const [row] = await client<{ is_read_only: boolean }[]>`select current_setting('transaction_read_only')::boolean as is_read_only`
    if (row?.is_read_only !== false) throw new NoPrimaryError('no server of it accepts writes')
    const { hostname, port } = new URL(url)
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || PORT }
  } finally {
    clearTimeout(timer)
    void end()
  }
}
