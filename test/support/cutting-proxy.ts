import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy extends AsyncDisposable {
  url: string
  /** How many connections it has cut. */
  cuts: () => number
}

interface CuttingProxyOptions {
  /** Where connections go, in turn. */
  targets: readonly string[]
  /** After how many bytes of the client the next connection is cut, once so many were; null to leave it whole. */
  nextCut: (cuts: number) => number | null
}

/** Starts a proxy that cuts connections in the middle of what the client sends. */
export async function startCuttingProxy({ targets, nextCut }: CuttingProxyOptions): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let cuts = 0
  let turn = 0
  const server = createServer((client) => {
    const { hostname, port } = new URL(targets[turn++ % targets.length] ?? '')
    const upstream = connect(Number(port), hostname)
    let left = nextCut(cuts)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          client.destroy()
          upstream.destroy()
        })
    }
    upstream.pipe(client)
    client.on('data', (chunk) => {
      if (upstream.destroyed || left === 0) return
      const passed = left === null ? chunk : chunk.subarray(0, left)
      if (left !== null) left -= passed.length
      if (left !== 0) {
        if (!upstream.write(passed)) client.pause()
        return
      }
      cuts += 1
      upstream.write(passed, () => upstream.destroy())
    })
    upstream.on('drain', () => client.resume())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}`,
    cuts: () => cuts,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}
