import type { BlockList } from 'node:net'
import { networkInterfaces } from 'node:os'
import { familyOf, networkList } from './network-address.ts'

/** Addresses that reach a server on this machine's loopback interface. */
const LOOPBACK = networkList(['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128', '::ffff:127.0.0.0/104', '::ffff:0.0.0.0/104'])
const UNSPECIFIED = new Set(['0.0.0.0', '::'])

interface HostAndPort {
  /** A name or an IP address, without brackets. */
  host: string
  port: number
}

interface Receiver extends HostAndPort {
  /** The addresses that `host` resolves to, if known. */
  addresses: readonly string[]
}

export interface OwnAddresses {
  /** Whether a request to this receiver would reach this service. */
  includes: (receiver: Receiver) => boolean
}

/**
 * Recognizes the addresses of this service: the host and port it listens on, and those of its base URL. A name is compared as
 * a name only, because a reverse proxy serves other sites from the same address.
 */
export function createOwnAddresses(own: readonly HostAndPort[]): OwnAddresses {
  const listeners = own.map(({ host, port }) => ({ name: comparableName(host), port, list: addressesOf(host) }))
  return {
    includes({ host, port, addresses }) {
      return listeners.some((listener) => {
        if (listener.port !== port) return false
        return listener.name === comparableName(host) || [host, ...addresses].some((address) => isListed(listener.list, address))
      })
    },
  }
}

function addressesOf(host: string): BlockList | null {
  const interfaces = UNSPECIFIED.has(host) ? Object.values(networkInterfaces()).flatMap((entries) => entries ?? []) : []
  if (interfaces.length > 0) return networkList(['127.0.0.0/8', '::1', '0.0.0.0/8', '::', ...interfaces.map(({ address }) => address)])
  if (host === 'localhost' || isListed(LOOPBACK, host)) return LOOPBACK
  return familyOf(host) === null ? null : networkList([host])
}

function isListed(list: BlockList | null, address: string): boolean {
  const family = familyOf(address)
  return list !== null && family !== null && list.check(address, family)
}

/** Normalizes a name: DNS ignores case and a final dot. */
function comparableName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
