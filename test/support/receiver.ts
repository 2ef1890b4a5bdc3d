import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** When its headers arrived, on the clock of `performance.now`. */
  arrivedAtMs: number
}

export interface Receiver {
  url: string
  requests: Received[]
  /** Ids of the received deliveries, in order. */
  deliveryIds: () => string[]
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts an HTTP receiver on this machine. It responds 200 unless given another response. */
export async function startReceiver(answer: (response: ServerResponse, request: Received) => void = ok): Promise<Receiver> {
  const requests: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    const arrivedAtMs = performance.now()
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => {
      const received = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks), arrivedAtMs }
      requests.push(received)
      answer(response, received)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    deliveryIds: () => requests.map(({ headers }) => String(headers['x-service-delivery'])),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function ok(response: ServerResponse): void {
  response.end('ok')
}
