import { connect as connectTcp, type LookupFunction, Socket } from 'node:net'
import { type EgressProxy, familyOf, type ResolveName } from '@earshot/drivers'
import type { buildConnector } from 'undici'
import { AttemptFailure, isOwnShortage } from './attempt-error.ts'
import { Client, errors } from './undici.ts'

/** Of every connection that deliveries use. */
export const KEEP_ALIVE_PROBE_MS = 60_000

const CLOSED = 'The egress proxy closed the connection before a tunnel was open.'

/** A tunnel through the egress proxy, and the address of the receiver at its end. */
export interface Tunnel {
  socket: Socket
  address: string
}

interface TunnelOptions {
  /** Resolves the proxy's own name. */
  resolve: ResolveName
  /** Ends the opening. */
  signal: AbortSignal
  /** The time for one of several addresses before the next is tried. The last one gets the remaining time. */
  addressTimeoutMs: number
}

/**
 * Opens a tunnel to the first of these addresses that the proxy can reach (CONNECT, RFC 9110 §9.3.6). The proxy gets addresses,
 * never names: it has nothing to resolve, so it reaches what was checked. Throws an `AttemptFailure` of the proxy.
 */
export async function openTunnel(
  proxy: EgressProxy,
  { addresses, port }: { addresses: readonly string[]; port: number },
  { resolve, signal, addressTimeoutMs }: TunnelOptions,
): Promise<Tunnel> {
  const [address = '', ...others] = addresses
  const isLast = others.length === 0
  try {
    const limit = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(addressTimeoutMs)])
    return { socket: await connectThrough(proxy, authorityOf(address, port), { resolve, signal: limit }), address }
  } catch (error) {
    if (isLast || signal.aborted) throw toFailure(error)
  }
  return openTunnel(proxy, { addresses: others, port }, { resolve, signal, addressTimeoutMs })
}

/** The failure of a tunnel that did not open in time: the proxy hangs, or waits for a receiver that does. */
export function tunnelTimeout(limitMs: number): AttemptFailure {
  return new AttemptFailure('proxy_error', `The egress proxy opened no tunnel to the receiver within ${limitMs / 1000} s.`)
}

/** One connection to the proxy with one request on it, which becomes the tunnel. undici reads the response. */
async function connectThrough(
  { origin, authorization }: EgressProxy,
  authority: string,
  { resolve, signal }: Pick<TunnelOptions, 'resolve' | 'signal'>,
): Promise<Socket> {
  let opened: Socket | undefined
  // undici would connect again after some failures.
  const connect: buildConnector.connector = (target, callback) => {
    if (opened || signal.aborted) callback(new AttemptFailure('proxy_error', CLOSED), null)
    else opened = connectToProxy(target, resolve, callback)
  }
  const end = () => void opened?.destroy(new Error('The tunnel did not open in time.'))
  signal.addEventListener('abort', end, { once: true })
  const client = new Client(origin, { allowH2: false, headersTimeout: 0, connect })
  try {
    const headers = { host: authority, ...(authorization !== null && { 'proxy-authorization': authorization }) }
    const { statusCode, socket } = await client.connect({ path: authority, headers })
    if (statusCode >= 200 && statusCode <= 299 && socket instanceof Socket) return socket
    socket.destroy()
    throw refusal(statusCode)
  } finally {
    signal.removeEventListener('abort', end)
    // It has let go of the tunnel's socket.
    void client.destroy()
  }
}

function connectToProxy({ hostname, port }: buildConnector.Options, resolve: ResolveName, callback: buildConnector.Callback): Socket {
  // Shared with other lookups: Node's own would hold a thread for each connection while DNS is silent.
  const lookup: LookupFunction = (name, _options, found) => {
    resolve(name).then(
      (records) => found(null, [...records]),
      (error) => found(error, []),
    )
  }
  const socket = connectTcp({ host: hostname, port: Number(port) || 80, lookup, autoSelectFamily: true })
  const fail = (error: Error) => callback(error, null)
  socket.once('error', fail)
  socket.once('connect', () => {
    socket.off('error', fail)
    callback(null, socket)
  })
  // Never removed: a socket error without a listener would end the process.
  socket.on('error', () => {})
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
}

function refusal(statusCode: number): AttemptFailure {
  if (statusCode === 407) return new AttemptFailure('proxy_error', 'The egress proxy refused the credentials of this service (407).')
  return new AttemptFailure('proxy_error', `The egress proxy opened no tunnel to the receiver (status ${statusCode}).`)
}

/** Names a failure as the proxy's. No message of another program is shown: it could contain the proxy's address. */
function toFailure(error: unknown): unknown {
  if (error instanceof AttemptFailure || isOwnShortage(error)) return error
  return new AttemptFailure('proxy_error', detailOf(error), { cause: error })
}

function detailOf(error: unknown): string {
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return 'The egress proxy did not respond with valid HTTP.'
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(code)) return CLOSED
  return `The egress proxy cannot be reached${code ? ` (${code})` : ''}.`
}

function authorityOf(address: string, port: number): string {
  return familyOf(address) === 'ipv6' ? `[${address}]:${port}` : `${address}:${port}`
}
