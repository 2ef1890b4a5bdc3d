import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

export interface RawReceiver {
  port: number
  url: string
  /** Each request as received, header and body. */
  requests: string[]
  connections: number
  /** Resolves when that many connections were closed by either side. */
  closed: (count: number) => Promise<void>
  [Symbol.asyncDispose]: () => Promise<void>
}

export interface RawReceiverOptions {
  host?: string
  /** A free one if absent. */
  port?: number
  tls?: TlsOptions
  /** Called for each connection before any request. */
  onConnection?: (socket: Socket) => void
}

/** Starts a receiver of raw bytes. `answer` gets the socket once a whole request has arrived. */
export async function startRawReceiver(
  answer: (socket: Socket, request: string) => void,
  options: RawReceiverOptions = {},
): Promise<RawReceiver> {
  const { host = '127.0.0.1', tls, onConnection, port: wantedPort = 0 } = options
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const waiting: (() => void)[] = []
  let connections = 0
  let closed = 0

  const accept = (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    // Many tests are about senders that close in the middle of a response.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      closed += 1
      for (const check of waiting) check()
    })
    onConnection?.(socket)
    collectRequests(socket, (request) => {
      requests.push(request)
      answer(socket, request)
    })
  }
  const server = tls ? createTlsServer(tls, accept) : createServer(accept)
  server.on('tlsClientError', () => {})
  const port = await listen(server, host, wantedPort)

  return {
    port,
    url: `${tls ? 'https' : 'http'}://${host}:${port}/hook`,
    requests,
    get connections() {
      return connections
    },
    closed: (count) =>
      new Promise((resolve) => {
        const check = () => closed >= count && resolve()
        waiting.push(check)
        check()
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listen(server: Server, host: string, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      if (address && typeof address === 'object') resolve(address.port)
    })
  })
}

function collectRequests(socket: Socket, onRequest: (request: string) => void): void {
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    for (;;) {
      const headerEnd = received.indexOf('\r\n\r\n')
      if (headerEnd === -1) return
      const bodyLength = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
      const end = headerEnd + 4 + bodyLength
      if (received.length < end) return
      const request = received.slice(0, end)
      received = received.slice(end)
      onRequest(request)
    }
  })
}
