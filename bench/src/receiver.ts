import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { handleRequests } from './child-process.ts'

/** `release` closes all requests without a response. */
export type ReceiverRequest = 'start' | 'read' | 'forget' | 'release'

export interface Receipts {
  count: number
  /** Requests to paths with a special behaviour. */
  others: number
  /** The time from each event to its arrival, by its `created_at`. */
  latenciesMs: number[]
  /** When events arrived, by their id and that of their submission, in milliseconds since 1970. */
  arrivals: Record<string, number>
  /** When the newest event that arrived was created, in milliseconds since 1970. */
  newestEventMs: number
}

const SLOW_MS = 5_000

/** Special behaviours by the first part of the path. Requests to any other path get a response at once and are counted. */
const behaviours: Record<string, (response: ServerResponse) => unknown> = {
  unresponsive: () => {},
  slow: (response) => setTimeout(() => response.end('late'), SLOW_MS),
  failing: (response) => response.writeHead(500).end(),
  flooded: (response) => response.end('ok'),
}

const none = (): Receipts => ({ count: 0, others: 0, latenciesMs: [], arrivals: {}, newestEventMs: 0 })

let receipts = none()
const waiting = new Set<ServerResponse>()

const server = createServer(async (request, response) => {
  waiting.add(response)
  response.once('close', () => waiting.delete(response))
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const behave = behaviours[request.url?.split('/')[1] ?? '']
  if (behave) {
    receipts.others += 1
    behave(response)
    return
  }
  const arrivedMs = Date.now()
  const { id, created_at, data } = JSON.parse(Buffer.concat(chunks).toString())
  const createdMs = Date.parse(created_at)
  receipts.count += 1
  receipts.latenciesMs.push(arrivedMs - createdMs)
  for (const key of [id, data?.submission?.id]) if (key) receipts.arrivals[key] = arrivedMs
  receipts.newestEventMs = Math.max(receipts.newestEventMs, createdMs)
  response.end('ok')
})

handleRequests(handle, async () => {
  server.close()
  server.closeAllConnections()
})

async function handle(request: ReceiverRequest): Promise<Receipts | { url: string }> {
  if (request === 'read') return receipts
  if (request === 'release') {
    for (const response of waiting) response.destroy()
    return receipts
  }
  receipts = none()
  if (request === 'forget') return receipts
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}
