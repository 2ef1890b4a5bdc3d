import type { Terminal } from './terminal.ts'

type Fetch = typeof globalThis.fetch

/** Returns the option that lets a client tell what it sends and receives, where --debug asks for it. */
export function observing(terminal: Terminal): { fetch?: Fetch } {
  if (!terminal.isDebug) return {}
  return { fetch: async (input, init) => (await import('./trace.ts')).tracedFetch(terminal, input, init) }
}
