import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What came back on a socket before the other side closed it. */
export interface RawAnswer {
  status: number
  head: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  body: any
  /** Bytes that the socket took of what was to be sent. */
  sentBytes: number
}

/** Sends bytes as they are, until all are sent or an answer comes, and reads until the other side closes. */
export async function sendRaw(url: string, parts: Iterable<string | Buffer>): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  // An answer may come before all is sent; what is written after it fails, and that is no failure of the test.
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

/** A request that asks for the connection to be closed behind its answer. */
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
