import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@earshot/contracts/client'
import { atRate } from '../webhooks/steady-rate.ts'

const POLL_MS = 20
/** An event that takes longer is missing. */
const LIMIT_MS = 120_000

/** How long the creates of a team took, and the webhooks about them. */
export interface LiveTimes {
  createMs: number[]
  /** From the response to the receipt; 0 for a webhook that came first. */
  webhookMs: number[]
}

/** A receiver that notes when the event of each submission came. */
export interface LiveReceiver extends AsyncDisposable {
  url: string
  /** When the event came, on the clock of `performance.now()`, by the id of its submission. */
  receivedMs: ReadonlyMap<string, number>
}

export async function startLiveReceiver(): Promise<LiveReceiver> {
  const receivedMs = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString())
    if (type === 'submission.created' && data.submission.channel !== 'import') receivedMs.set(data.submission.id, performance.now())
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1' }, resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    receivedMs,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Creates submissions at a steady rate, and waits until all their events have come. */
export async function liveTraffic(
  client: Client,
  project: { team_id: string; project_id: string },
  { receivedMs, ...rate }: Pick<LiveReceiver, 'receivedMs'> & { perSecond: number; seconds?: number; signal?: AbortSignal },
): Promise<LiveTimes> {
  const createMs: number[] = []
  const accepted: { id: string; atMs: number }[] = []
  await atRate(rate, async (number) => {
    const startedMs = performance.now()
    const body = `Feedback ${number}, as it comes`
    const { id } = await client.submissions.create({
      ...project,
      body,
      rating: 5,
      author: { name: 'Ada Lovelace' },
      consent: { granted: true },
    })
    const atMs = performance.now()
    createMs.push(atMs - startedMs)
    accepted.push({ id, atMs })
  })
  const untilMs = performance.now() + LIMIT_MS
  while (!accepted.every(({ id }) => receivedMs.has(id))) {
    if (performance.now() > untilMs) throw new Error('The events of some submissions did not come.')
    await delay(POLL_MS)
  }
  return { createMs, webhookMs: accepted.map(({ id, atMs }) => Math.max(0, (receivedMs.get(id) ?? Number.NaN) - atMs)) }
}
