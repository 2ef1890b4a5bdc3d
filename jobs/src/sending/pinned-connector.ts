import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { type AddressRules, type EgressProxy, familyOf, isLoopback, type OwnAddresses, type ResolveName } from '@earshot/drivers'
import type { buildConnector } from 'undici'
import { AttemptFailure } from './attempt-error.ts'
import { KEEP_ALIVE_PROBE_MS, openTunnel, type Tunnel, tunnelTimeout } from './proxy-tunnel.ts'

/** The time for one of several addresses before the next is tried. The last one gets the remaining time. */
const ADDRESS_ATTEMPT_TIMEOUT_MS = 1_000

/** The addresses of receivers behind tunnels: a tunnel's socket itself knows the proxy's. */
const tunnelled = new WeakMap<Socket, string>()

export interface PinnedConnectorOptions {
  rules: AddressRules
  ownAddresses: OwnAddresses
  resolve: ResolveName
  /** One limit for resolving, TCP, the proxy's tunnel and TLS together. */
  connectTimeoutMs: number
  /** The proxy through which all connections go; null for none. */
  proxy: EgressProxy | null
  /** Whether loopback addresses are reached without the proxy, for which they would be its own machine. */
  directLoopback: boolean
}

export interface PinnedConnector {
  connect: (target: buildConnector.Options, callback: buildConnector.Callback) => void
  /** Ends all connections that are still opening. */
  close: () => void
}

interface Target {
  protocol: string
  /** A name or a literal address, without brackets. */
  host: string
  port: number
}

/**
 * Connects to exactly the addresses that were checked: the name is not resolved a second time (DNS rebinding). With a proxy, the
 * same addresses are checked, and the proxy gets one of them instead of the name.
 */
export function createPinnedConnector(options: PinnedConnectorOptions): PinnedConnector {
  const { connectTimeoutMs, proxy, directLoopback, resolve } = options
  const secureContext = createSecureContext()
  const connecting = new Set<(failure: Error) => void>()

  function connect({ protocol, hostname, port }: buildConnector.Options, callback: buildConnector.Callback): void {
    const target = { protocol, host: hostname, port: Number(port) || defaultPort(protocol) }
    const ended = new AbortController()
    let isTunnelling = false
    const settle = (...outcome: [null, Socket] | [Error, null]): void => {
      if (!connecting.delete(cancel)) return
      clearTimeout(timer)
      callback(...outcome)
    }
    const cancel = (failure: Error): void => {
      settle(failure, null)
      ended.abort()
    }
    const giveUp = () => cancel(isTunnelling ? tunnelTimeout(connectTimeoutMs) : connectTimeout(connectTimeoutMs))
    const timer = setTimeout(giveUp, connectTimeoutMs)
    connecting.add(cancel)

    const open = async (): Promise<void> => {
      const opening = { secureContext, settle, signal: ended.signal }
      const addresses = await findAddresses(target, options)
      if (ended.signal.aborted) return
      const proxied = proxy !== null && directLoopback ? addresses.filter((address) => !isLoopback(address)) : addresses
      if (proxy === null || proxied.length === 0) return openSocket(target, pin(addresses), opening)
      isTunnelling = true
      const tunnelOptions = { resolve, signal: ended.signal, addressTimeoutMs: ADDRESS_ATTEMPT_TIMEOUT_MS }
      const tunnel = await openTunnel(proxy, { addresses: proxied, port: target.port }, tunnelOptions)
      isTunnelling = false
      useTunnel(target, tunnel, opening)
    }
    open().catch(cancel)
  }

  return {
    connect,
    close() {
      for (const cancel of connecting) cancel(new AttemptFailure('interrupted', 'The worker stopped.'))
    },
  }
}

/** Returns the address of the receiver at the other end, behind the proxy if there is one. */
export function remoteIpOf(socket: Socket): string | null {
  return tunnelled.get(socket) ?? socket.remoteAddress ?? null
}

async function findAddresses({ host, port }: Target, { rules, ownAddresses, resolve }: PinnedConnectorOptions): Promise<string[]> {
  // `net` makes no lookup for a literal address, so it is checked here.
  const addresses = familyOf(host) === null ? await resolveOrFail(host, resolve) : [host]
  if (ownAddresses.includes({ host, port, addresses })) {
    throw new AttemptFailure('blocked_address', 'This is the address of this service.')
  }
  // One bad address refuses them all: a name with both kinds is either broken or an attack. The detail does not name the
  // address, so that nobody can map this network with it.
  if (!addresses.every((address) => rules.isAllowed(address))) {
    throw new AttemptFailure('blocked_address', `${host} is, or resolves to, a private, local or reserved address.`)
  }
  return addresses
}

async function resolveOrFail(host: string, resolve: ResolveName): Promise<string[]> {
  const records = await resolve(host).catch((cause) => {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
    throw new AttemptFailure('dns_failure', `The name ${host} does not resolve${code}.`, { cause })
  })
  if (records.length === 0) throw new AttemptFailure('dns_failure', `The name ${host} has no address.`)
  return records.map(({ address }) => address)
}

function pin(addresses: readonly string[]): LookupFunction {
  const records = addresses.map((address) => ({ address, family: familyOf(address) === 'ipv6' ? 6 : 4 }))
  const [first] = records
  return (_hostname, options, callback) => {
    if (options.all) callback(null, records)
    else callback(null, first?.address ?? '', first?.family)
  }
}

interface Opening {
  secureContext: SecureContext
  settle: (...outcome: [null, Socket] | [Error, null]) => void
  /** Ends the opening. */
  signal: AbortSignal
}

function openSocket({ protocol, host, port }: Target, lookup: LookupFunction, { secureContext, settle, signal }: Opening): void {
  const tcp = { host, port, lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_TIMEOUT_MS }
  const isTls = protocol === 'https:'
  const socket = isTls ? connectTls({ ...tcp, ...tlsOptions(host, secureContext) }) : connectTcp(tcp)
  let isHandshake = false
  socket.once('connect', () => {
    isHandshake = isTls
  })
  socket.once(isTls ? 'secureConnect' : 'connect', () => settle(null, socket))
  // Never removed: a socket error without a listener would end the process.
  socket.on('error', (error) => settle(isHandshake ? nameTlsError(error) : error, null))
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
  signal.addEventListener('abort', () => socket.destroy(), { once: true })
}

/** Uses a tunnel as it is, or for TLS with the receiver behind it. */
function useTunnel({ protocol, host }: Target, { socket: tunnel, address }: Tunnel, { secureContext, settle, signal }: Opening): void {
  const isTls = protocol === 'https:'
  const socket = isTls ? connectTls({ socket: tunnel, host, ...tlsOptions(host, secureContext) }) : tunnel
  tunnelled.set(socket, address)
  socket.on('error', (error) => settle(nameTlsError(error), null))
  if (isTls) socket.once('secureConnect', () => settle(null, socket))
  else settle(null, socket)
  if (signal.aborted) socket.destroy()
  signal.addEventListener('abort', () => socket.destroy(), { once: true })
}

/** A literal address is not sent as a server name (RFC 6066 §3); its certificate is still checked against `host`. */
function tlsOptions(host: string, secureContext: SecureContext): ConnectionOptions {
  return { secureContext, ALPNProtocols: ['http/1.1'], ...(familyOf(host) === null && { servername: host }) }
}

/** Names an error after TCP has connected. All but a closed connection come from TLS: certificates, versions, or no TLS at all. */
function nameTlsError(error: Error & { code?: string }): Error {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return error
  return new AttemptFailure('tls_error', `TLS failed: ${error.code ?? error.message}.`, { cause: error })
}

function connectTimeout(connectTimeoutMs: number): AttemptFailure {
  return new AttemptFailure('connect_timeout', `Could not connect within ${connectTimeoutMs / 1000} s.`)
}

function defaultPort(protocol: string): number {
  return protocol === 'https:' ? 443 : 80
}
