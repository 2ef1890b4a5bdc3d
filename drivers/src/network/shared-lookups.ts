import type { ResolveName } from './webhook-url.ts'

/** Half of the lookups that libuv runs at once on the 16 threads of the start script; the other half is for known names. */
const MAX_UNKNOWN_LOOKUPS = 4
const MAX_KNOWN = 20_000

/**
 * Limits and shares lookups. The system's resolver holds a thread until a lookup ends, and threads are few: a handful of names
 * whose DNS servers are silent would block all other lookups. So a name waits for one of a few slots unless its last lookup
 * succeeded, and concurrent lookups of one name are one.
 */
export function shareLookups(resolve: ResolveName): ResolveName {
  const known = new Set<string>()
  const running = new Map<string, ReturnType<ResolveName>>()
  const waiting: (() => void)[] = []
  let freeSlots = MAX_UNKNOWN_LOOKUPS

  async function lookUp(name: string): ReturnType<ResolveName> {
    // Known again only after success: a name whose DNS turned silent blocks one thread once.
    const isKnown = known.delete(name)
    if (!isKnown) await takeSlot()
    try {
      const addresses = await resolve(name)
      if (known.size >= MAX_KNOWN) known.clear()
      known.add(name)
      return addresses
    } finally {
      running.delete(name)
      if (!isKnown) freeSlot()
    }
  }

  function takeSlot(): Promise<void> | void {
    if (freeSlots === 0) return new Promise((resolve) => waiting.push(resolve))
    freeSlots -= 1
  }

  function freeSlot(): void {
    const next = waiting.shift()
    if (next) next()
    else freeSlots += 1
  }

  return (name) => {
    const lookup = running.get(name) ?? lookUp(name)
    running.set(name, lookup)
    return lookup
  }
}
