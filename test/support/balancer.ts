import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

const CHECK_EVERY_MS = 250
const CHECK_TIMEOUT_MS = 1_000

export interface Balancer {
  /** The one address of all replicas. */
  url: string
  [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Starts a TCP balancer in front of replicas, as Kubernetes or HAProxy does: each new connection goes to the next replica whose
 * `/readyz` said 200 when it was last asked, or to another if that one does not accept it.
 */
export async function startBalancer(replicas: () => readonly string[]): Promise<Balancer> {
  const sockets = new Set<Socket>()
  let ready: string[] = [...replicas()]
  let turn = 0
  let isClosed = false

  async function check(): Promise<void> {
    const urls = replicas()
    const answers = await Promise.all(urls.map(isReady))
    ready = urls.filter((_, index) => answers[index])
    if (!isClosed) timer = setTimeout(check, CHECK_EVERY_MS)
  }
  let timer = setTimeout(check, CHECK_EVERY_MS)

  const server = createServer(async (near) => {
    track(sockets, near)
    turn += 1
    const first = turn % Math.max(1, ready.length)
    for (const url of [...ready.slice(first), ...ready.slice(0, first)]) {
      const far = await open(url)
      if (far) return join(near, track(sockets, far))
    }
    near.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(timer)
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) }).catch(() => null)
  await response?.body?.cancel()
  return response?.status === 200
}

function open(url: string): Promise<Socket | null> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket))
    socket.once('error', () => resolve(null))
  })
}

function track(sockets: Set<Socket>, socket: Socket): Socket {
  sockets.add(socket)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => sockets.delete(socket))
  return socket
}

function join(near: Socket, far: Socket): void {
  near.pipe(far)
  far.pipe(near)
  near.on('close', () => far.destroy())
  far.on('close', () => near.destroy())
  if (near.destroyed) far.destroy()
}
