import { once } from 'node:events'
import { createServer, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PlayedAnswer } from './fake-service.ts'

/** What happens to a request: it passes, gets an answer of the gate, or hears nothing until the gate closes. */
type Verdict = 'pass' | 'hang' | PlayedAnswer

export interface Gate extends AsyncDisposable {
  url: string
  /** Requests so far, as `POST /api/…`. */
  requests: string[]
}

/** Starts an HTTP server in front of a service that lets pass what `judge` says, streams too. */
export async function startGate(target: string, judge: (request: string) => Verdict | Promise<Verdict>): Promise<Gate> {
  const requests: string[] = []
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming
    requests.push(`${method} ${url}`)
    const verdict = await judge(`${method} ${url}`)
    if (verdict === 'hang') return
    if (verdict !== 'pass') return refuse(verdict, response)
    const outgoing = send(target + url, { method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 0, reply.headers)
      reply.on('error', () => response.destroy()).pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

function refuse({ status = 200, json }: PlayedAnswer, response: ServerResponse): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
}
