import { BlockList, isIP } from 'node:net'

/** Private, shared, link-local, documentation, multicast and reserved IPv4 (IANA special-purpose registry, RFC 6890). */
const BLOCKED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // the metadata and DNS host of Azure, inside public space
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** Public IPv6 is global unicast without protocol assignments (Teredo), documentation, 6to4 and AS112. */
const GLOBAL_IPV6 = '2000::/3'
const BLOCKED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48']

/** Prefixes that carry an IPv4 address in their last 32 bits: IPv4-mapped (RFC 4291) and NAT64 (RFC 6052). */
const MAPPED = '::ffff:'
const NAT64 = '64:ff9b::'

/** This machine's own addresses, wherever it is. */
const LOOPBACK = ['127.0.0.0/8', `${MAPPED}127.0.0.0/104`, '::1/128']
const loopback = networkList(LOOPBACK)

export interface AddressRules {
  /** Whether a webhook may be sent to this IP address; false for text that is not a plain IP address. */
  isAllowed: (address: string) => boolean
}

interface AddressRuleOptions {
  /** CIDRs that are allowed although they are blocked by default. */
  allowNetworks: readonly string[]
  /** Whether this machine's loopback addresses are allowed. */
  allowLoopback: boolean
}

/** Creates the rules for the addresses that webhooks may reach. Throws when a network is malformed. */
export function createAddressRules({ allowNetworks, allowLoopback }: AddressRuleOptions): AddressRules {
  const allowed = networkList(allowNetworks.flatMap((network) => withEmbeddedForms(network)))
  if (allowLoopback) addNetworks(allowed, LOOPBACK)
  const blocked = networkList([...BLOCKED_IPV4.flatMap((network) => withEmbeddedForms(network)), ...BLOCKED_IPV6])
  const publicIpv6 = networkList([GLOBAL_IPV6, `${MAPPED}0.0.0.0/96`, `${NAT64}0.0.0.0/96`])

  return {
    isAllowed(address) {
      // `check` returns false for text that is not an address and for zones (`fe80::1%eth0`), so refuse those first.
      const family = familyOf(address)
      if (family === null) return false
      if (allowed.check(address, family)) return true
      if (blocked.check(address, family)) return false
      return family === 'ipv4' || publicIpv6.check(address, family)
    },
  }
}

/** Whether the IP address is this machine's own, in a loopback network. */
export function isLoopback(address: string): boolean {
  const family = familyOf(address)
  return family !== null && loopback.check(address, family)
}

/** Returns the address family as `BlockList` names it; null for text that is not a plain IP address, zones included. */
export function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = address.includes('%') ? 0 : isIP(address)
  if (version === 0) return null
  return version === 4 ? 'ipv4' : 'ipv6'
}

export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  addNetworks(list, networks)
  return list
}

function addNetworks(list: BlockList, networks: readonly string[]): void {
  for (const network of networks) {
    const { address, prefixLength, family } = parseNetwork(network)
    list.addSubnet(address, prefixLength, family)
  }
}

/** Adds the forms of an IPv4 network that are embedded in IPv6: they reach the same hosts, so one rule holds for all. */
function withEmbeddedForms(network: string): string[] {
  const { address, prefixLength, family } = parseNetwork(network)
  if (family === 'ipv6') return [network]
  return [network, ...[MAPPED, NAT64].map((prefix) => `${prefix}${address}/${96 + prefixLength}`)]
}

function parseNetwork(network: string) {
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(network.trim()) ?? []
  const family = familyOf(address)
  const longest = family === 'ipv4' ? 32 : 128
  const prefixLength = Number(prefix ?? longest)
  if (family === null || prefixLength > longest) throw new Error(`"${network}" is not a network such as 10.0.0.0/8`)
  return { address, prefixLength, family }
}
