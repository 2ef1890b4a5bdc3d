import { setTimeout as delay } from 'node:timers/promises'
import { type EgressProxy, readProxyUrl } from '@earshot/drivers'
import { RequestError, Server } from 'proxy-chain'

export interface ConnectProxy {
  /** How a sender is told of it. */
  address: EgressProxy
  /** For EARSHOT_EGRESS_PROXY. */
  url: string
  /** Each tunnel that was asked for: `127.0.0.1:443`. */
  tunnels: string[]
  /** Connections to the proxy itself. */
  connections: number
  [Symbol.asyncDispose]: () => Promise<void>
}

interface ConnectProxyOptions {
  /** Required from each client. */
  login?: { username: string; password: string }
  /** What a client sends instead, in the URL. */
  given?: string
  /** Responds to every request with this status. */
  refusal?: number
  /** Opens each tunnel this much later. */
  delayMs?: number
  /** Never responds to requests for this address. */
  hangsFor?: string
}

/** Starts a real proxy (proxy-chain) that opens tunnels to this machine. */
export async function startConnectProxy({ login, given, refusal, delayMs = 0, hangsFor }: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const tunnels: string[] = []
  let connections = 0
  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: async ({ username, password, hostname, port }) => {
      tunnels.push(`${hostname}:${port}`)
      if (hostname === hangsFor) await new Promise(() => {})
      if (delayMs > 0) await delay(delayMs)
      if (refusal !== undefined) throw new RequestError('Refused by a policy that names 10.9.8.7.', refusal)
      return { requestAuthentication: login !== undefined && (username !== login.username || password !== login.password) }
    },
  })
  server.server.on('connection', () => {
    connections += 1
  })
  await server.listen()
  const own = login && `${login.username}:${login.password}`
  const credentials = given ?? own
  const url = `http://${credentials ? `${credentials}@` : ''}127.0.0.1:${server.port}`
  return {
    address: readProxyUrl(url),
    url,
    tunnels,
    get connections() {
      return connections
    },
    [Symbol.asyncDispose]: () => server.close(true),
  }
}
