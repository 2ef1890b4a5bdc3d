import type { Socket } from 'node:net'
import { Agent, type buildConnector, Client, type Dispatcher, Pool } from 'undici'
import { AttemptFailure } from './attempt-error.ts'
import type { Exchange } from './exchange.ts'

/** Old enough to follow a changed DNS entry within a minute, as addresses are checked when a socket is opened. */
const CLIENT_TTL_MS = 60_000
const KEEP_ALIVE_MAX_MS = 10_000
/** The kept body, sent a byte per chunk, fits twice. What says more in other ways says nothing, and costs a core to parse. */
const MAX_ANSWER_BYTES = 1024 * 1024

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

/**
 * A client has one socket at a time, and one exchange on it. This one tells the exchange which address the socket leads
 * to, and ends it when informational answers, chunk extensions or empty lines arrive without end.
 */
class TracedClient extends Client {
  #remoteIp: string | null = null
  #socket: Socket | null = null
  #bytesBefore = 0
  #exchange: Partial<Pick<Exchange, 'abort'>> | null = null

  constructor(origin: URL, options: Client.Options, connect: buildConnector.connector) {
    super(origin, {
      ...options,
      connect: (target, callback) => {
        this.#carryOn(null)
        connect(target, (...outcome) => {
          if (outcome[1]) this.#carryOn(outcome[1])
          callback(...outcome)
        })
      },
    })
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler & Partial<Pick<Exchange, 'carriedBy' | 'abort'>>,
  ): boolean {
    handler.carriedBy?.(() => this.#remoteIp)
    this.#exchange = handler
    this.#bytesBefore = this.#socket?.bytesRead ?? 0
    return super.dispatch(options, handler)
  }

  #carryOn(socket: Socket | null): void {
    this.#socket = socket
    this.#remoteIp = socket?.remoteAddress ?? null
    this.#bytesBefore = 0
    socket?.on('readable', () => {
      if (socket.bytesRead - this.#bytesBefore <= MAX_ANSWER_BYTES) return
      this.#exchange?.abort?.(new AttemptFailure('protocol_error', 'The answer is larger than 1 MB without saying anything.'))
    })
  }
}
