import ipaddr from 'ipaddr.js'

const IPV6_NETWORK_PARTS = 4

/** Returns the subject by which an address is counted: IPv4 as it is (also when mapped), IPv6 by its /64, which belongs to one customer. */
export function addressSubject(ip: string): string {
  if (!ip.includes(':')) return ip
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return `${(address as ipaddr.IPv6).parts
    .slice(0, IPV6_NETWORK_PARTS)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
