import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { POST } from '../../examples/receivers/next-route.ts'

/** Calls the route handler as Next.js does: a Request in, a Response out. */
const url = new URL(process.env.RECEIVER_URL ?? '')
createServer(async (incoming, outgoing) => {
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
  const init = { method: incoming.method ?? 'POST', headers }
  const body = await buffer(incoming)
  const request = new Request(
    new URL(incoming.url ?? '/', url),
    incoming.method === 'POST' ? { ...init, body: new Uint8Array(body) } : init,
  )
  const response = await POST(request)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(Buffer.from(await response.arrayBuffer()))
}).listen(Number(url.port), url.hostname)
