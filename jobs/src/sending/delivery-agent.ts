import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher, Client as UndiciClient } from 'undici'
import { AttemptFailure } from './attempt-error.ts'
import type { Exchange } from './exchange.ts'
import { remoteIpOf } from './pinned-connector.ts'
import { Agent, Client, Pool } from './undici.ts'

/** A changed DNS entry is followed within a minute, because addresses are resolved and checked when a socket opens. */
const CLIENT_TTL_MS = 60_000
const KEEP_ALIVE_MAX_MS = 10_000
/** Twice the stored body sent in chunks of one byte. More than that is padding, which costs a core to parse. */
const MAX_WIRE_BYTES = 1024 * 1024

/**
 * Creates the agent for all endpoints. Connections per origin are not limited: with a limit, many dead endpoints on one host
 * would starve the others on it. HTTP/2 is off, and the exchange keeps all time limits.
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
 * A client has one socket at a time with one exchange on it. This one gives the exchange the remote address of its socket, and
 * aborts it when informational responses, chunk extensions or empty lines do not end.
 */
class TracedClient extends Client {
  #remoteIp: string | null = null
  #socket: Socket | null = null
  #bytesBefore = 0
  #exchange: Partial<Pick<Exchange, 'abort'>> | null = null

  constructor(origin: URL, options: UndiciClient.Options, connect: buildConnector.connector) {
    super(origin, {
      ...options,
      connect: (target, callback) => {
        this.#useSocket(null)
        connect(target, (...outcome) => {
          if (outcome[1]) this.#useSocket(outcome[1])
          callback(...outcome)
        })
      },
    })
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler & Partial<Pick<Exchange, 'setRemoteIp' | 'abort'>>,
  ): boolean {
    handler.setRemoteIp?.(() => this.#remoteIp)
    this.#exchange = handler
    this.#bytesBefore = this.#socket?.bytesRead ?? 0
    return super.dispatch(options, handler)
  }

  #useSocket(socket: Socket | null): void {
    this.#socket = socket
    this.#remoteIp = socket && remoteIpOf(socket)
    this.#bytesBefore = 0
    socket?.on('readable', () => {
      if (socket.bytesRead - this.#bytesBefore <= MAX_WIRE_BYTES) return
      this.#exchange?.abort?.(new AttemptFailure('protocol_error', 'The response is larger than 1 MB, most of it padding.'))
    })
  }
}
