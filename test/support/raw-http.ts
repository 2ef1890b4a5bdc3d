import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** The response on a socket until the other side closed it. */
export interface RawAnswer {
  status: number
  head: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  body: any
  /** How many of the bytes the socket accepted. */
  sentBytes: number
}

/** Sends raw bytes until all are sent or a response arrives, and reads until the other side closes. */
export async function sendRaw(url: string, parts: Iterable<string | Buffer>): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  // A response may arrive before all is sent. Later writes then fail, which is no failure of the test.
  socket.on('error', () => {})
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const closed = happens(socket, 'close')
  await once(socket, 'connect')
  for (const part of parts) {
    if (chunks.length > 0 || socket.destroyed) break
    if (!socket.write(part)) await Promise.race([happens(socket, 'drain'), happens(socket, 'data'), closed])
  }
  await closed
  return parse(Buffer.concat(chunks).toString(), socket.bytesWritten)
}

/** Returns a request with `Connection: close`. */
export function requestHead(line: string, headers: Record<string, string | number> = {}): string {
  const fields = Object.entries({ host: 'localhost', connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `${[`${line} HTTP/1.1`, ...fields].join('\r\n')}\r\n\r\n`
}

function happens(socket: Socket, event: 'close' | 'drain' | 'data'): Promise<void> {
  return new Promise((resolve) => socket.once(event, () => resolve()))
}

function parse(text: string, sentBytes: number): RawAnswer {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: body === '' ? undefined : JSON.parse(body), sentBytes }
}
