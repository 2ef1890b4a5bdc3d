import { personMessage } from '@earshot/db'
import type { SecretBox } from '@earshot/drivers'

/** What may be an address. A character before it may belong to the text around it. */
const ADDRESS = /[\p{L}\p{M}\p{N}.%+_'-]+(?:@|%40)[\p{L}\p{M}\p{N}.-]*[\p{L}\p{M}\p{N}]/giu
const EDGES = /^['._-]+/

/** Returns the MACs, hexadecimal, of the people whose addresses stand anywhere in a result. Without a team there are none. */
export function personMacsIn(secretBox: SecretBox, teamId: string | null, result: unknown): string[] {
  if (teamId === null) return []
  const addresses = new Set<string>()
  collect(result, addresses)
  return [...addresses].map((address) => secretBox.mac('person', personMessage(teamId, address)).toString('hex'))
}

function collect(value: unknown, addresses: Set<string>): void {
  if (typeof value === 'string') collectIn(value, addresses)
  if (typeof value !== 'object' || value === null) return
  for (const [name, child] of Object.entries(value)) {
    collectIn(name, addresses)
    collect(child, addresses)
  }
}

function collectIn(text: string, addresses: Set<string>): void {
  // Most texts have none, and the pattern takes longer.
  if (!text.includes('@') && !text.includes('%40')) return
  for (const [found] of text.matchAll(ADDRESS)) {
    const address = found.toLowerCase().replace('%40', '@')
    addresses.add(address)
    addresses.add(address.replace(EDGES, ''))
  }
}
