import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { type AddressRules, familyOf, type OwnAddresses, type ResolveName } from '@earshot/drivers'
import type { buildConnector } from 'undici'
import { AttemptFailure } from './attempt-error.ts'

/** The time for one of several addresses before the next is tried. The last one gets the remaining time. */
const ADDRESS_ATTEMPT_TIMEOUT_MS = 1_000
const KEEP_ALIVE_PROBE_MS = 60_000

export interface PinnedConnectorOptions {
  rules: AddressRules
  ownAddresses: OwnAddresses
  resolve: ResolveName
  /** One limit for resolving, TCP and TLS together. */
  connectTimeoutMs: number
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

/** Connects to exactly the addresses that were checked: the name is not resolved a second time (DNS rebinding). */
export function createPinnedConnector({ rules, ownAddresses, resolve, connectTimeoutMs }: PinnedConnectorOptions): PinnedConnector {
  const secureContext = createSecureContext()
  const connecting = new Set<(failure: Error) => void>()

  function connect({ protocol, hostname, port }: buildConnector.Options, callback: buildConnector.Callback): void {
    const target = { protocol, host: hostname, port: Number(port) || defaultPort(protocol) }
    let socket: Socket | undefined
    const settle = (...outcome: [null, Socket] | [Error, null]): void => {
      if (!connecting.delete(cancel)) return
      clearTimeout(timer)
      callback(...outcome)
    }
    const cancel = (failure: Error): void => {
      settle(failure, null)
      socket?.destroy()
    }
    const timer = setTimeout(cancel, connectTimeoutMs, connectTimeout(connectTimeoutMs))
    connecting.add(cancel)

    findAddresses(target)
      .then((addresses) => {
        if (connecting.has(cancel)) socket = openSocket(target, pin(addresses), { secureContext, settle })
      })
      .catch(cancel)
  }

  async function findAddresses({ host, port }: Target): Promise<string[]> {
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

  return {
    connect,
    close() {
      for (const cancel of connecting) cancel(new AttemptFailure('interrupted', 'The worker stopped.'))
    },
  }
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
}

function openSocket({ protocol, host, port }: Target, lookup: LookupFunction, { secureContext, settle }: Opening): Socket {
  const tcp = { host, port, lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_TIMEOUT_MS }
  // A literal address is not sent as a server name (RFC 6066 §3); its certificate is still checked against `host`.
  const servername = familyOf(host) === null ? { servername: host } : {}
  const isTls = protocol === 'https:'
  const socket = isTls ? connectTls({ ...tcp, ...servername, secureContext, ALPNProtocols: ['http/1.1'] }) : connectTcp(tcp)
  let isHandshake = false
  socket.once('connect', () => {
    isHandshake = isTls
  })
  socket.once(isTls ? 'secureConnect' : 'connect', () => settle(null, socket))
  // Never removed: a socket error without a listener would end the process.
  socket.on('error', (error) => settle(isHandshake ? nameTlsError(error) : error, null))
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
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
