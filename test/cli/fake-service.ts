import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A response to send: JSON with `$URL` for the address of the service, raw text or bytes, silence, or a connection that breaks. */
export interface PlayedAnswer {
  status?: number
  headers?: Record<string, string>
  json?: unknown
  text?: string
  bytes?: Uint8Array
  /** `break` ends the connection in the middle of the body. */
  /** How long after the request it is sent. */
  afterMs?: number
  instead?: 'silence' | 'reset' | 'break'
}

interface ReceivedRequest {
  method: string
  /** The path with the query, as received. */
  path: string
  headers: IncomingHttpHeaders
  body: string
  bytes: Buffer
}

export interface PlayedService extends AsyncDisposable {
  url: string
  requests: ReceivedRequest[]
}

/** Starts a real HTTP server that sends the responses in turn, repeating the last, and keeps the requests. */
export async function playService(...answers: PlayedAnswer[]): Promise<PlayedService> {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? {}
    const received = await receive(request).catch(() => null)
    // A client may break off its request.
    if (!received) return
    requests.push(received)
    await delay(answer.afterMs ?? 0)
    play(answer, response, url)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // A TCP server has one.
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns an error body as the service writes it. */
export function refusal(status: number, code: string, extra: Record<string, unknown> = {}): PlayedAnswer {
  return { status, json: { detail: `Refused as ${code}.`, code, request_id: 'req-1', ...extra } }
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const { method = '', url: path = '', headers } = request
  const bytes = Buffer.concat(await request.toArray())
  return { method, path, headers, body: bytes.toString('utf8'), bytes }
}

function play({ status = 200, headers = {}, json, text, bytes, instead }: PlayedAnswer, response: ServerResponse, url: string): void {
  if (instead === 'silence') return
  if (instead === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  if (instead === 'break') {
    response.writeHead(status, { 'content-length': '100', ...headers }).write('{"a":')
    setTimeout(() => response.destroy(), 50)
    return
  }
  const body = bytes ?? text ?? (json === undefined ? '' : JSON.stringify(json).replaceAll('$URL', url))
  response.writeHead(status, { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers }).end(body)
}
