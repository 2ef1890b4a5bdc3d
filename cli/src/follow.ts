import { EarshotApiError } from '@earshot/contracts/client'
import type { Terminal } from './terminal.ts'

const FIRST_POLL_MS = 100
/** More requests would use up the 1,000 of an hour that a person has. */
const MAX_POLL_MS = 5_000

interface Following<Item> {
  retrieve: () => Promise<Item>
  isEnded: (item: Item) => boolean
  show: (item: Item) => void
  signal: AbortSignal
}

/** Polls what the service works on until it has ended, the more rarely the longer it takes. Throws the reason of the signal. */
export async function follow<Item>(terminal: Terminal, { retrieve, isEnded, show, signal }: Following<Item>): Promise<Item> {
  const startMs = performance.now()
  while (true) {
    const polled = await poll(retrieve)
    if ('retryMs' in polled) await terminal.pause(polled.retryMs, signal)
    else {
      show(polled.item)
      if (isEnded(polled.item)) return polled.item
      await terminal.pause(Math.min(MAX_POLL_MS, Math.max(FIRST_POLL_MS, (performance.now() - startMs) / 10)), signal)
    }
    signal.throwIfAborted()
  }
}

/** The work goes on for longer than requests of the same person may be refused. */
async function poll<Item>(retrieve: () => Promise<Item>): Promise<{ item: Item } | { retryMs: number }> {
  try {
    return { item: await retrieve() }
  } catch (error) {
    if (!(error instanceof EarshotApiError) || error.code !== 'rate_limited') throw error
    return { retryMs: (error.retryAfterSeconds ?? 60) * 1000 }
  }
}
