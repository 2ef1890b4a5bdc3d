import type { ResolveName } from './webhook-url.ts'

/** Half of the lookups that libuv runs at once on the 16 threads of the start script; the other half is for known names. */
const UNKNOWN_AT_ONCE = 4
const MAX_KNOWN = 20_000

/**
 * The system's resolver holds a thread until it has an answer, and there are few: a handful of names whose DNS is silent
 * would stop the lookups of all others. So a name waits for one of a few places unless its last lookup succeeded, and
 * callers who ask for one name at the same time share one lookup.
 */
export function shareLookups(resolve: ResolveName): ResolveName {
  const known = new Set<string>()
  const running = new Map<string, ReturnType<ResolveName>>()
  const waiting: (() => void)[] = []
  let places = UNKNOWN_AT_ONCE

  async function lookUp(name: string): ReturnType<ResolveName> {
    // It is known again when it has answered: one that turned silent takes one thread for nothing, and no second.
    const isKnown = known.delete(name)
    if (!isKnown) await takePlace()
    try {
      const answers = await resolve(name)
      if (known.size >= MAX_KNOWN) known.clear()
      known.add(name)
      return answers
    } finally {
      running.delete(name)
      if (!isKnown) leavePlace()
    }
  }

  function takePlace(): Promise<void> | void {
    if (places === 0) return new Promise((resolve) => waiting.push(resolve))
    places -= 1
  }

  function leavePlace(): void {
    const next = waiting.shift()
    if (next) next()
    else places += 1
  }

  return (name) => {
    const lookup = running.get(name) ?? lookUp(name)
    running.set(name, lookup)
    return lookup
  }
}
