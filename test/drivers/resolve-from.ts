import type { ResolveName } from '@earshot/drivers'

/** A resolver that knows these names and no others. */
export function resolveFrom(names: Record<string, string[]>): ResolveName {
  return async (hostname: string) => {
    const addresses = names[hostname]
    if (!addresses) throw Object.assign(new Error(`queryA ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
}
