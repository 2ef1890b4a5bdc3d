import { Agent, type buildConnector, Client, type Dispatcher, Pool } from 'undici'
import type { Exchange } from './exchange.ts'

/** Old enough to follow a changed DNS entry within a minute, as addresses are checked when a socket is opened. */
const CLIENT_TTL_MS = 60_000
const KEEP_ALIVE_MAX_MS = 10_000

/**
 * One agent for all endpoints. The number of connections per origin stays open: with a limit, many dead endpoints on
 * one host would starve the others there. HTTP/2 is off, and all timing is the exchange's own.
 */
export function createDeliveryAgent(connect: buildConnector.connector): Agent {
  return new Agent({
    allowH2: false,
    clientTtl: CLIENT_TTL_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, options) =>
      new Pool(origin, { ...options, factory: (url, clientOptions) => new TracedClient(url, clientOptions, connect) }),
  })
}

/** A client has one socket at a time. This one tells the exchange that it carries which address that leads to. */
class TracedClient extends Client {
  #remoteIp: string | null = null

  constructor(origin: URL, options: Client.Options, connect: buildConnector.connector) {
    super(origin, {
      ...options,
      connect: (target, callback) => {
        this.#remoteIp = null
        connect(target, (...outcome) => {
          this.#remoteIp = outcome[1]?.remoteAddress ?? null
          callback(...outcome)
        })
      },
    })
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler & Partial<Pick<Exchange, 'carriedBy'>>,
  ): boolean {
    handler.carriedBy?.(() => this.#remoteIp)
    return super.dispatch(options, handler)
  }
}
