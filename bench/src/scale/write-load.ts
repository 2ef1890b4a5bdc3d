import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'

/** A public submission that was sent, on the clock of `performance.now()`. */
export interface Write {
  startedMs: number
  endedMs: number
  /** Why it was not accepted; null for one that was. */
  refusal: string | null
}

export interface WriteLoad extends AsyncDisposable {
  /** Those that have ended, in that order. */
  writes: readonly Write[]
}

const PER_SECOND = 50
const TIMEOUT_MS = 20_000
const BODY = { rating: 5, author: { name: 'Ada Lovelace', email: 'ada@example.com' }, consent: { granted: true } }

let sent = 0

/** Sends public submissions at a steady rate to the projects in turn, however long the responses take. `url` may change. */
export function startWrites(url: () => string, keys: readonly string[]): WriteLoad {
  const agent = new Agent({ connections: 256, headersTimeout: TIMEOUT_MS, connectTimeout: TIMEOUT_MS })
  const writes: Write[] = []
  const running = new Set<Promise<void>>()
  let isOver = false
  const send = async () => {
    const startedMs = performance.now()
    const refusal = await submit(agent, `${url()}/api/public/v1/projects/${keys[sent % keys.length]}/submissions/`).catch(String)
    writes.push({ startedMs, endedMs: performance.now(), refusal })
  }
  const sending = (async () => {
    const startedMs = performance.now()
    for (let number = 0; !isOver; number += 1) {
      await delay(Math.max(0, startedMs + (number * 1000) / PER_SECOND - performance.now()))
      const write: Promise<void> = send().finally(() => running.delete(write))
      running.add(write)
    }
  })()
  return {
    writes,
    async [Symbol.asyncDispose]() {
      isOver = true
      await sending
      await Promise.all(running)
      await agent.close()
    },
  }
}

async function submit(dispatcher: Agent, address: string): Promise<string | null> {
  sent += 1
  const { statusCode, body } = await request(address, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}` },
    body: JSON.stringify({ ...BODY, body: `Submission ${sent} of a visitor who liked it.` }),
  })
  const text = await body.text()
  return statusCode === 201 ? null : `${address}: ${statusCode} ${text}`
}

/** The times of writes that began within a span. Throws when one of them failed. */
export function tookMs(writes: readonly Write[], { fromMs, toMs = Number.POSITIVE_INFINITY }: { fromMs: number; toMs?: number }): number[] {
  const within = writes.filter(({ startedMs }) => startedMs >= fromMs && startedMs <= toMs)
  const refused = within.find(({ refusal }) => refusal !== null)
  if (refused) throw new Error(`A write failed while nothing was broken: ${refused.refusal}`)
  return within.map(({ startedMs, endedMs }) => endedMs - startedMs)
}
